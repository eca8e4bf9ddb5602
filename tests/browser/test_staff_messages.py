"""What staff send and are sent, in a browser: reminders, lists on a schedule, and subscriptions."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import FILLED_YEAR, Look
from tests.browser.superuser import look  # noqa: F401 -- a fixture

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("filled")]


def test_staff_remind_who_has_not_filed(look: Look) -> None:
    page = look.at(f"{reverse('admin:season_not_filed')}?period={FILLED_YEAR}")
    look.picture("who-has-not-filed")
    page.get_by_role("button", name="Remind all").click()
    page.get_by_role("button", name="Preview").click()
    look.picture("reminder-preview")
    page.get_by_label("Reason").fill("Two weeks to the deadline.")
    page.get_by_role("button", name="Send").click()
    assert "Two weeks to the deadline." in page.inner_text("#content-main")
    page.get_by_role("link", name="Institutions and recipients").click()


def test_staff_keep_schedules_of_lists(look: Look) -> None:
    page = look.at(reverse("admin:filing_listschedule_add"))
    page.get_by_label("List").select_option("not-filed")
    page.get_by_label("Reason").fill("The board asks each morning.")
    page.get_by_role("button", name="Save", exact=True).click()
    look.picture("list-schedules")
    page.get_by_role("link", name="who has not filed").first.click()
    page.get_by_role("link", name="Run now").click()
    look.at(reverse("admin:filing_producedlist_changelist"))


def test_staff_choose_their_subscriptions(look: Look) -> None:
    page = look.at(reverse("admin:subscriptions"))
    look.picture("subscriptions")
    page.get_by_role("group", name="Emails").first.get_by_label("Once a day").check()
    page.get_by_label("LEIs").first.fill("not an LEI")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_title(re.compile("^Error: "))
    page.get_by_label("LEIs").first.fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Your subscriptions are saved.")).to_be_visible()
