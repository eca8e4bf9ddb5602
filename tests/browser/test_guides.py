"""The guides for everyone, looked at in Chromium."""

import pytest
from django.urls import reverse

from config.guides import public
from tests.browser.conftest import Look


@pytest.mark.parametrize("name", public.guide_pages())
def test_a_guide_is_sound_and_fits(tab: Look, name: str) -> None:
    page = tab.at(reverse("guide", args=[name]))
    assert page.locator("h1").count() == 1
    tab.is_sound(after="load")
    tab.fits()


def test_the_contents_of_a_guide_lead_to_its_headings(look: Look) -> None:
    page = look.at(reverse("guide", args=["tools"]))
    page.get_by_role("navigation", name="On this page").get_by_role("link").last.click()
    page.locator("#rate-spread").wait_for()
    assert page.url.endswith("#rate-spread")
