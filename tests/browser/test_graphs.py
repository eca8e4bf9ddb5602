"""The graphs in a browser: the gallery, one graph and what of it is looked at, on any screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, Look

PAGE = "/data/graphs/credit-scores/"
_LOADED = "[...document.querySelectorAll('main img')].every((e) => e.complete && e.naturalWidth)"


def pictures_are_there(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    assert page.evaluate(_LOADED)


def test_the_gallery_leads_to_a_graph(look: Look) -> None:
    page = look.at("/data/graphs/")
    page.get_by_role("heading", name="Demo: these figures are made up").wait_for()
    for picture in page.locator("main img").all():
        picture.scroll_into_view_if_needed()
    pictures_are_there(page)
    look.is_sound()
    look.fits()
    look.picture("graphs")
    page.get_by_role("link", name="How has the denial rate changed?").click()
    page.get_by_role("heading", name="How has the denial rate changed?").wait_for()
    page.get_by_role("link", name="Refinance").click()
    page.get_by_role("heading", name="How has the denial rate changed? - Refinance").wait_for()
    pictures_are_there(page)


@pytest.mark.parametrize("endpoint", ["credit-scores", "tlc-fha-re", "all-applications"])
def test_a_graph_is_sound_and_fits(look: Look, endpoint: str) -> None:
    page = look.at(f"/data/graphs/{endpoint}/")
    pictures_are_there(page)
    look.is_sound()
    look.fits()
    if endpoint == "credit-scores":
        look.picture("graph")


def test_a_narrow_screen_gets_a_narrow_picture(look: Look) -> None:
    look.page.set_viewport_size(NARROW)
    page = look.at(PAGE)
    pictures_are_there(page)
    assert "narrow" in page.evaluate("document.querySelector('main img').currentSrc")
    assert page.evaluate("document.querySelector('main img').clientWidth") > 250


def test_lines_and_time_are_chosen_without_leaving_the_page(look: Look) -> None:
    page = look.at(PAGE)
    table = page.locator("#graph table")
    assert table.locator("thead th").count() == 7
    page.get_by_label("HELOC").focus()
    page.keyboard.press("Space")
    expect(table.locator("thead th")).to_have_count(6)
    assert "HELOC" not in table.inner_text()
    assert page.evaluate("document.activeElement.value") == "HELOC"
    page.get_by_label("From").select_option("2019-Q1")
    expect(table.locator("tbody tr")).to_have_count(7)
    assert "first=2019-Q1" in page.url
    pictures_are_there(page)
    look.is_sound()
    page.reload()
    assert "HELOC" not in page.locator("#graph table").inner_text()
    page.get_by_role("link", name="Permanent link").click()
    expect(page).to_have_url(re.compile("version="))
    expect(table.locator("tbody tr")).to_have_count(7)


def test_the_form_works_without_scripts(look: Look) -> None:
    context = look.page.context.browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(look.url + PAGE)
    page.get_by_label("To").select_option("2018-Q4")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#graph tbody tr")).to_have_count(4)
    context.close()


def test_files_are_saved(look: Look) -> None:
    page = look.at(PAGE)
    for ending, begins in (("CSV", b"quarter,Conv"), ("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as saved:
            page.get_by_role("link", name=ending, exact=True).click()
        assert saved.value.suggested_filename == f"credit-scores.{ending.lower()}"
        assert Path(saved.value.path()).read_bytes().startswith(begins)


def test_graphs_are_computed_anew_in_the_admin(look: Look) -> None:
    page = look.sign_in("root", "/admin/graphs/computation/add/")
    look.is_sound(after="load")
    page.get_by_label("Reason").fill("To see it.")
    page.get_by_role("button", name="Compute").click()
    finished = re.compile("State:\\s*(computed|unchanged)")
    expect(page.locator("#content-main fieldset").first).to_contain_text(finished, timeout=60_000)
    look.is_sound(after="load")
    look.at("/admin/graphs/computation/")
    look.is_sound(after="load")
    look.picture("graphs-versions")
