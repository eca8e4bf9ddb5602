"""What staff send and are sent, in a browser: reminders, lists on a schedule, and subscriptions."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import NARROW, WIDE, Look
from tests.browser.staff_pages import YEAR, look  # noqa: F401 -- a fixture

pytestmark = pytest.mark.slow


def check_page(look: Look) -> None:
    """Fail unless the page is sound, on a telephone too, and can be printed."""
    for size in (WIDE, NARROW):
        look.page.set_viewport_size(size)
        look.is_sound()
    look.fits()
    look.page.set_viewport_size(WIDE)
    look.page.emulate_media(media="print")
    expect(look.page.locator("h1").first).to_be_visible()
    look.page.emulate_media(media="screen")


def test_staff_remind_who_has_not_filed(look: Look) -> None:
    page = look.at(f"{reverse('admin:season_not_filed')}?period={YEAR}")
    check_page(look)
    look.picture("who-has-not-filed")
    page.get_by_role("button", name="Remind all").click()
    check_page(look)
    page.get_by_role("button", name="Preview").click()
    check_page(look)
    look.picture("reminder-preview")
    page.get_by_label("Reason").fill("Two weeks to the deadline.")
    page.get_by_role("button", name="Send").click()
    assert "Two weeks to the deadline." in page.inner_text("#content-main")
    check_page(look)
    page.get_by_role("link", name="Institutions and recipients").click()
    check_page(look)


def test_staff_keep_schedules_of_lists(look: Look) -> None:
    page = look.at(reverse("admin:filing_listschedule_add"))
    check_page(look)
    page.get_by_label("List").select_option("not-filed")
    page.get_by_label("Reason").fill("The board asks each morning.")
    page.get_by_role("button", name="Save", exact=True).click()
    check_page(look)
    look.picture("list-schedules")
    page.get_by_role("link", name="who has not filed").first.click()
    check_page(look)
    page.get_by_role("link", name="Run now").click()
    check_page(look)
    look.at(reverse("admin:filing_producedlist_changelist"))
    check_page(look)


def test_staff_choose_their_subscriptions(look: Look) -> None:
    page = look.at(reverse("admin:subscriptions"))
    check_page(look)
    look.picture("subscriptions")
    page.get_by_role("group", name="Emails").first.get_by_label("Once a day").check()
    page.get_by_label("LEIs").first.fill("not an LEI")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_title(re.compile("^Error: "))
    check_page(look)
    page.get_by_label("LEIs").first.fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Your subscriptions are saved.")).to_be_visible()
    check_page(look)
