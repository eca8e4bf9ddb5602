"""Events of an institution from the form over the preview to the report, in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Look
from tests.browser.superuser import look  # noqa: F401 -- a fixture

pytestmark = pytest.mark.slow

BANK, SURVIVOR = "FLOWTEST000000000008", "FLOWTEST000000000009"
LIST = "/admin/filing/institution/"


def open_institution(look: Look, lei: str) -> None:
    look.at(f"{LIST}?q={lei}")
    look.page.click("#result_list tbody th a")


def test_a_merger_is_previewed_recorded_and_taken_back(look: Look) -> None:
    page = look.page
    open_institution(look, BANK)
    page.get_by_role("link", name="Merger", exact=True).click()
    page.fill("[name=other_lei]", SURVIVOR)
    page.fill("[name=effective_on]", "2024-05-15")
    page.get_by_label("two separate files").check()
    page.get_by_role("button", name="Preview").press("Enter")
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    expect(page.get_by_text("its own loans of the year until the merger")).to_be_visible()
    page.get_by_role("button", name="Record the merger").click()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    page.fill("[name=reason]", "Letter of the regulator of May 16.")
    page.get_by_role("button", name="Record the merger").click()
    expect(page.get_by_text("Recorded:")).to_be_visible()
    page.get_by_role("link", name="Take the event back").click()
    page.fill("[name=reason]", "The merger was called off.")
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("Done for 1 of 1")).to_be_visible()


def test_a_refusal_is_read_beside_the_form(look: Look) -> None:
    page = look.page
    open_institution(look, BANK)
    page.get_by_role("link", name="Merger", exact=True).click()
    page.fill("[name=other_lei]", BANK)
    page.fill("[name=effective_on]", "2024-05-15")
    page.get_by_label("two separate files").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("does not merge with itself")).to_be_visible()
