"""The guides for everyone, looked at in Chromium."""

from django.urls import reverse

from tests.browser.conftest import Look


def test_a_search_of_the_guides_is_sound_and_leads_to_the_passage(look: Look) -> None:
    page = look.at(reverse("guides"))
    page.get_by_label("Search the guides").fill("check digits")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("status").wait_for()
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
