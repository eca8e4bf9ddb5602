"""What staff send and are sent, in a browser: reminders to those who have not filed."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.browser.conftest import NARROW, WIDE, Look
from tests.browser.staff_pages import YEAR, filled, look, signed_in  # noqa: F401 -- fixtures

pytestmark = pytest.mark.slow


def check_page(look: Look) -> None:
    """Fail unless the page is sound, on a telephone too, and can be printed."""
    for size in (WIDE, NARROW):
        look.page.set_viewport_size(size)
        look.is_sound()
    look.fits()
    look.page.set_viewport_size(WIDE)
    look.page.emulate_media(media="print")
    assert look.page.locator("h1").first.is_visible()
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
