"""The guides for everyone, looked at in Chromium."""

from pathlib import Path

import pytest
from django.urls import reverse

from config.guides import public
from tests.browser.conftest import Look


@pytest.mark.parametrize("document", public.PUBLIC)
def test_a_guide_is_sound_and_fits(tab: Look, document: str) -> None:
    page = tab.at(reverse("guide", args=[Path(document).stem]))
    assert page.locator("h1").count() == 1
    tab.is_sound(after="load")
    tab.fits()


def test_the_contents_of_a_guide_lead_to_its_headings(look: Look) -> None:
    page = look.at(reverse("guide", args=["tools"]))
    page.get_by_role("navigation", name="On this page").get_by_role("link").last.click()
    page.locator("#rate-spread").wait_for()
    assert page.url.endswith("#rate-spread")
