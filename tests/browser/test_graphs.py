"""The graphs in a browser: the gallery, one graph and what of it is looked at, on any screen."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NARROW, Look, save_download

PAGE = "/data/graphs/credit-scores/"
_LOADED = "[...document.querySelectorAll('main img')].every((e) => e.complete && e.naturalWidth)"


def pictures_are_there(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    assert page.evaluate(_LOADED)


def test_the_gallery_leads_to_a_graph(look: Look) -> None:
    page = look.at("/data/graphs/")
    page.get_by_text("are made up.").wait_for()
    for picture in page.locator("main img").all():
        picture.scroll_into_view_if_needed()
    pictures_are_there(page)
    page.get_by_role("link", name="How has the denial rate changed?").click()
    page.get_by_role("heading", name="How has the denial rate changed?").wait_for()
    page.get_by_role("link", name="Refinance").click()
    page.get_by_role("heading", name="How has the denial rate changed? - Refinance").wait_for()
    pictures_are_there(page)


def test_a_narrow_screen_gets_a_narrow_picture(look: Look) -> None:
    look.page.set_viewport_size(NARROW)
    page = look.at(PAGE)
    pictures = page.get_by_role("group", name="How has the median credit score changed?")
    assert pictures.count() == 1  # the other one is hidden
    assert 250 < pictures.bounding_box()["width"] <= NARROW["width"]
    mark(page, "FHA, 2019-Q1").hover()
    assert find_tip(page).inner_text().startswith("2019-Q1")


def test_the_picture_is_large_and_above_the_fold(look: Look) -> None:
    look.page.set_viewport_size({"width": 1280, "height": 800})
    box = look.at(PAGE).locator(".site-chart__wide svg").bounding_box()
    assert box["width"] >= 950
    assert box["y"] + box["height"] <= 800


def mark(page: Page, name: str) -> Locator:
    """Return the mark of a series in a quarter, in the picture that is shown."""
    return page.get_by_role("img", name=re.compile(f"^{re.escape(name)}: "))


def find_tip(page: Page) -> Locator:
    return page.locator(".site-chart__tip")


def test_the_values_of_a_quarter_show_where_one_points_at(look: Look) -> None:
    page = look.at(PAGE)
    expect(find_tip(page)).to_be_hidden()
    mark(page, "VA, 2019-Q1").hover()
    lines = find_tip(page).inner_text().split("\n")
    assert lines[0] == "2019-Q1"
    assert len(lines) > len({"FHA", "VA"})
    figures = table_row(page, "2019-Q1")
    assert dict(zip(lines[1::2], lines[2::2], strict=True)) == figures
    page.keyboard.press("Escape")
    expect(find_tip(page)).to_be_hidden()
    mark(page, "VA, 2019-Q2").hover()
    expect(find_tip(page)).to_contain_text("2019-Q2")
    page.get_by_role("heading", level=1).hover()
    expect(find_tip(page)).to_be_hidden()


def test_what_a_finger_touched_stays_until_it_touches_something_else(look: Look) -> None:
    context = look.page.context.browser.new_context(has_touch=True, viewport=NARROW)
    page = context.new_page()
    page.goto(look.url + PAGE)
    mark(page, "FHA, 2019-Q1").scroll_into_view_if_needed()
    box = mark(page, "FHA, 2019-Q1").bounding_box()
    page.touchscreen.tap(box["x"] + 2, box["y"] - 20)
    expect(find_tip(page)).to_contain_text("2019-Q1")
    page.get_by_role("heading", level=1).tap()
    expect(find_tip(page)).to_be_hidden()
    context.close()


def table_row(page: Page, quarter: str) -> dict[str, str]:
    """Return the figures of a quarter in the table, by line."""
    table = page.locator("#graph table")
    names = table.locator("thead th").all_inner_texts()
    row = table.locator("tbody tr", has_text=quarter)
    figures = zip(names[1:], row.locator("td").all_inner_texts(), strict=True)
    return {name: figure for name, figure in figures if figure != "no figure"}


def test_the_values_are_read_with_the_arrow_keys(look: Look) -> None:
    page = look.at(PAGE)
    assert page.locator(".site-chart__wide [tabindex='0']").count() == 1
    mark(page, "FHA, 2018-Q3").focus()
    for key, name in (
        ("ArrowRight", "FHA, 2018-Q4"),
        ("ArrowLeft", "FHA, 2018-Q3"),
        ("Home", "FHA, 2018-Q1"),
        ("ArrowLeft", "FHA, 2018-Q1"),  # there is nothing before
        ("ArrowRight", "FHA, 2018-Q2"),
    ):
        page.keyboard.press(key)
        assert look.read_focused_label().startswith(f"{name}: "), key
    page.keyboard.press("ArrowUp")
    assert ", 2018-Q2: " in look.read_focused_label()
    assert not look.read_focused_label().startswith("FHA")
    expect(find_tip(page)).to_contain_text("2018-Q2")
    assert (
        page.locator(".site-chart__current").inner_text().split("\n")[0]
        in look.read_focused_label()
    )
    page.keyboard.press("Tab")  # leaves the picture
    assert page.evaluate("document.activeElement.type") == "checkbox"
    expect(find_tip(page)).to_be_hidden()
    page.keyboard.press("Shift+Tab")  # and comes back to where one was
    assert ", 2018-Q2: " in look.read_focused_label()


def test_a_name_in_the_legend_switches_its_line(look: Look) -> None:
    page = look.at(PAGE)
    page.locator(".site-chart__wide .mark-text.role-mark text", has_text="HELOC").click()
    expect(page.get_by_role("checkbox", name="HELOC")).not_to_be_checked()
    expect(mark(page, "HELOC, 2019-Q1")).to_have_count(0)
    assert "series=FHA" in page.url
    assert "HELOC" not in page.url
    page.get_by_role("checkbox", name="HELOC").focus()
    page.keyboard.press("Space")
    expect(mark(page, "HELOC, 2019-Q1")).to_have_count(1)


def test_a_period_is_chosen_by_its_link(look: Look) -> None:
    page = look.at(PAGE)
    rows = page.locator("#graph tbody tr")
    all_quarters = rows.count()
    page.get_by_role("link", name="Last 8 quarters").click()
    expect(rows).to_have_count(8)
    assert "first=" in page.url
    page.get_by_role("link", name="All quarters").click()
    expect(rows).to_have_count(all_quarters)
    page.go_back()
    expect(rows).to_have_count(8)


def test_lines_and_time_are_chosen_without_leaving_the_page(look: Look) -> None:
    page = look.at(PAGE)
    table = page.locator("#graph table")
    assert table.locator("thead th").count() == 7
    page.get_by_role("checkbox", name="HELOC").focus()
    page.keyboard.press("Space")
    expect(table.locator("thead th")).to_have_count(6)
    assert "HELOC" not in table.inner_text()
    assert page.evaluate("document.activeElement.value") == "HELOC"
    page.get_by_label("From", exact=True).select_option("2019-Q1")
    expect(table.locator("tbody tr")).to_have_count(7)
    assert "first=2019-Q1" in page.url
    pictures_are_there(page)
    page.reload()
    assert "HELOC" not in page.locator("#graph table").inner_text()
    page.get_by_role("link", name="Permanent link").click()
    expect(page).to_have_url(re.compile("version="))
    expect(table.locator("tbody tr")).to_have_count(7)


def test_files_are_saved(look: Look) -> None:
    page = look.at(PAGE)
    files = {"CSV": b"quarter,Conv", "XLSX": b"PK", "SVG": b"<svg", "PNG": b"\x89PNG"}
    for ending, begins in files.items():
        name, path = save_download(page, page.get_by_role("link", name=ending, exact=True))
        assert name == f"credit-scores.{ending.lower()}"
        assert path.read_bytes().startswith(begins)
