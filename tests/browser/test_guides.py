"""The guides for everyone, looked at in Chromium."""

from pathlib import Path

import pytest
from django.urls import reverse

from config.guides import public
from filing.lar.years import RULEBOOKS
from tests.browser.conftest import Look


@pytest.mark.parametrize("document", public.PUBLIC)
def test_a_guide_is_sound_and_fits(tab: Look, document: str) -> None:
    page = tab.at(reverse("guide", args=[Path(document).stem]))
    assert page.locator("h1").count() == 1
    tab.is_sound(after="load")
    tab.fits()


def test_the_filing_instructions_of_a_year_are_sound_and_fit(tab: Look) -> None:
    page = tab.at(reverse("filing-instructions-of-year", args=[RULEBOOKS[-1]]))
    assert page.locator("h1").count() == 1
    # Hundreds of rows are made alike: the first ones say for all whether they are sound.
    page.evaluate(
        "document.querySelectorAll('tbody tr:nth-child(n+30)').forEach(row => row.remove())"
    )
    tab.is_sound(after="load")
    tab.fits()


def test_a_search_of_the_guides_is_sound_and_leads_to_the_passage(look: Look) -> None:
    page = look.at(reverse("guides"))
    page.get_by_label("Search the guides").fill("check digits")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("status").wait_for()
    look.is_sound(after="search")
    page.get_by_role("link", name="What is a ULI, and how do we get its check digits?").click()
    page.locator("#what-is-a-uli-and-how-do-we-get-its-check-digits").wait_for()
    page.get_by_role("navigation", name="Guides", exact=True).get_by_role(
        "link", name="Filing instructions by year"
    ).click()
    page.get_by_role("heading", level=1, name="Filing instructions for").wait_for()


def test_the_contents_of_a_guide_lead_to_its_headings(look: Look) -> None:
    page = look.at(reverse("guide", args=["tools"]))
    page.get_by_role("navigation", name="On this page").get_by_role("link").last.click()
    page.locator("#rate-spread").wait_for()
    assert page.url.endswith("#rate-spread")
