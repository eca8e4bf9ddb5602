"""What staff do to a submission, in the browser: preview, reason, report; and a note about it."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import Look
from tests.browser.superuser import look  # noqa: F401 -- a fixture

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("filled")]

SUBMISSIONS = reverse("admin:filing_submission_changelist")


def open_first(look: Look) -> None:
    page = look.at(SUBMISSIONS)
    page.locator("#result_list tbody th a").first.click()


def test_a_receipt_is_sent_again_from_the_page_of_the_submission(look: Look) -> None:
    open_first(look)
    look.page.get_by_role("link", name="Send the receipt again").click()
    look.picture("receipt-again")
    look.page.get_by_label("Reason").fill("The mail was lost.")
    look.page.get_by_role("button", name="Send the receipt of 1 submission again").click()
    assert look.page.get_by_role("status").first.inner_text() == "Done for 1 of 1."


def test_what_cannot_be_done_is_said_with_what_can(look: Look) -> None:
    open_first(look)
    look.page.get_by_role("link", name="Run the edits again").click()
    assert "A correction is a new submission" in look.page.inner_text("#content")
    assert not look.page.get_by_label("Reason").count()


def test_many_are_chosen_in_the_list(look: Look) -> None:
    page = look.at(reverse("admin:filing_filing_changelist"))
    page.check("#action-toggle")
    page.select_option("[name=action]", "cancel")
    page.get_by_role("button", name="Go").click()
    look.picture("cancel-filings")
    page.get_by_role("link", name="Go back", exact=True).click()
    expect(page).to_have_url(re.compile(reverse("admin:filing_filing_changelist") + "$"))


def test_a_note_is_written_about_a_submission(look: Look) -> None:
    open_first(look)
    look.page.get_by_label("Add a note").fill("They called.\nThe file of 2024 comes on Monday.")
    look.page.get_by_role("button", name="Add note").click()
    assert "The file of 2024 comes on Monday." in look.page.inner_text("#notes")
    assert "root" in look.page.inner_text("#notes")
    look.page.locator("#notes").scroll_into_view_if_needed()
    look.picture("notes")
