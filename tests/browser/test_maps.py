"""Maps in a browser: pointing, keys, touch, going in and back, without script, narrow, on paper."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import barriers
from tests.browser.conftest import NARROW, Look

pytestmark = pytest.mark.slow

PAGE = "/data/browser/"
COUNTRY = f"{PAGE}?years=2022"
PLACES = "place-map svg a"


def enter_map(page: Page) -> None:
    """Go to the map with the keyboard, from the link before it."""
    page.locator("place-map").scroll_into_view_if_needed()
    page.locator(f"{PLACES}[tabindex='0']").focus()


def test_pointing_at_a_place_and_focusing_it_give_its_figure(look: Look) -> None:
    page = look.at(COUNTRY)
    tip = page.locator("place-map .site-chart__tip")
    expect(tip).to_be_hidden()
    california = page.get_by_role("link", name=re.compile(r"^California: [\d,]+ records$"))
    name = california.get_attribute("aria-label") or ""
    california.hover()
    expect(tip).to_have_text(name)
    assert page.locator(".site-map__mark").get_attribute("d")
    page.locator("h1").hover()
    expect(tip).to_be_hidden()
    california.focus()
    expect(tip).to_have_text(name)


def test_the_map_is_one_stop_and_arrows_go_to_neighbors(look: Look) -> None:
    page = look.at(COUNTRY)
    assert page.locator(f"{PLACES}[tabindex='0']").count() == 1
    enter_map(page)
    first = look.read_focused_label()
    assert first.startswith("Alabama")
    for key, place in (
        ("k", "Kansas"),
        ("ArrowRight", "Missouri"),
        ("ArrowLeft", "Kansas"),
        ("ArrowUp", "Nebraska"),
        ("ArrowDown", "Kansas"),
        ("End", "Wyoming"),
        ("Home", "Alabama"),
        ("n", "Nebraska"),
        ("n", "Nevada"),
    ):
        page.keyboard.press(key)
        assert look.read_focused_label().startswith(place), key
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "FIGCAPTION"
    expect(page.locator("place-map .site-chart__tip")).to_be_hidden()
    page.keyboard.press("Shift+Tab")
    assert look.read_focused_label().startswith("Nevada")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('svg')") is None
    assert not barriers.find_faults(page, "smallTargets")


def test_enter_goes_into_the_state_and_the_way_leads_back(look: Look) -> None:
    page = look.at(f"{COUNTRY}&actions_taken=1")
    enter_map(page)
    page.keyboard.press("t")  # Tennessee
    page.keyboard.press("t")
    assert look.read_focused_label().startswith("Texas")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{PAGE}?years=2022&states=TX&actions_taken=1#places-title")
    county = page.locator(PLACES).first
    name = (county.get_attribute("aria-label") or "").partition(":")[0]
    county.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{PAGE}?years=2022&counties=48*")
    way = page.get_by_role("navigation", name="Place")
    assert way.locator("[aria-current]").inner_text().strip() == name
    way.get_by_role("link", name="Texas").click()
    page.wait_for_url(f"**{PAGE}?years=2022&states=TX&actions_taken=1#places-title")
    page.get_by_role("navigation", name="Place").get_by_role("link", name="United States").click()
    page.wait_for_url(f"**{PAGE}?years=2022&actions_taken=1#places-title")


def test_the_map_of_a_changed_filter_can_be_touched_too(look: Look) -> None:
    page = look.at(COUNTRY)
    page.locator("summary", has_text="Race").first.click()
    page.get_by_label("White").focus()
    page.keyboard.press("Space")
    page.wait_for_url("**races=White")
    expect(page.locator(f"{PLACES}[tabindex='0']")).to_have_count(1)
    page.get_by_role("link", name=re.compile("^Texas:")).hover()
    expect(page.locator("place-map .site-chart__tip")).to_contain_text("Texas: ")


def test_a_first_touch_gives_the_figure_and_a_second_goes_in(look: Look) -> None:
    browser = look.page.context.browser
    assert browser is not None
    context = browser.new_context(has_touch=True, viewport=NARROW)
    page = context.new_page()
    page.goto(look.url + COUNTRY)
    texas = page.get_by_role("link", name=re.compile("^Texas:"))
    texas.scroll_into_view_if_needed()
    texas.tap()
    expect(page.locator("place-map .site-chart__tip")).to_contain_text("Texas: ")
    assert page.url.endswith(COUNTRY)
    texas.tap()
    page.wait_for_url("**states=TX*")
    context.close()


def test_breaks_are_set_in_the_form_and_reset(look: Look) -> None:
    page = look.at(f"{COUNTRY}&actions_taken=1&measure=amount")
    page.get_by_text("Set the breaks of the legend").click()
    page.get_by_label("Breaks of the legend").fill("1000000, 5000000")
    page.get_by_role("button", name="Set breaks").click()
    page.wait_for_url("**breaks=1000000*")
    legend = page.get_by_role("list", name="Legend: loan amounts")
    assert [text.strip() for text in legend.locator("li").all_inner_texts()][:3] == [
        "under $1.0M",
        "$1.0M to under $5.0M",
        "$5.0M or more",
    ]
    page.get_by_label("Breaks of the legend").fill("5,1")
    page.get_by_role("button", name="Set breaks").click()
    page.get_by_role("alert").get_by_text("1 after 5").wait_for()
    page.get_by_role("link", name="Reset").click()
    page.wait_for_url(f"**{COUNTRY}&actions_taken=1&measure=amount#places-title")


def test_a_map_fits_a_narrow_screen_and_paper(look: Look) -> None:
    look.page.set_viewport_size(NARROW)
    page = look.at(f"{COUNTRY}&states=TX")
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    page.emulate_media(media="print")
    expect(page.locator("place-map svg").first).to_be_visible()
    expect(page.get_by_role("list", name=re.compile("^Legend"))).to_be_visible()
    expect(page.get_by_role("link", name="PNG")).to_be_hidden()
    page.emulate_media(media="screen")
