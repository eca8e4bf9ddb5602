"""The data browser in a browser: choices, counts, chart, map, search, downloads, narrow screens."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Look, save_download

pytestmark = pytest.mark.slow

PAGE = "/data/browser/"
ASKED = f"{PAGE}?years=2021,2022&states=TX&races=Asian,White&sexes=Male,Female"


def rows(page: Page) -> int:
    return int(page.locator(".site-sum strong").first.inner_text().replace(",", ""))


def count(page: Page, label: str) -> int:
    text = page.locator(".usa-checkbox", has_text=label).locator(".site-count").first.inner_text()
    return int(text.replace(",", ""))


def group(page: Page, name: str) -> Locator:
    return page.locator("details.site-group", has=page.locator("summary", has_text=name)).first


def test_choices_count_at_once_and_make_a_permanent_link(look: Look) -> None:
    page = look.at(PAGE)
    whole = rows(page)
    group(page, "Race").locator("summary").click()
    white = count(page, "White")
    page.get_by_label("White").focus()
    page.keyboard.press("Space")
    expect(page.locator("#c-races")).to_have_text("(1 chosen)")
    expect(page.locator(".site-sum strong").first).to_have_text(f"{white:,}")
    assert rows(page) == white < whole
    page.wait_for_url(f"**{PAGE}?years=2022&races=White")
    assert page.evaluate("document.activeElement.value") == "White"
    page.reload()
    assert rows(page) == white
    expect(page.get_by_label("White")).to_be_checked()
    page.get_by_label("Measure", exact=True).select_option("amount")
    page.wait_for_url("**measure=amount")
    page.go_back()
    page.wait_for_url(f"**{PAGE}?years=2022&races=White")
    expect(page.get_by_label("Measure", exact=True)).to_have_value("count")
    assert rows(page) == white


def test_an_answer_has_a_chart_a_map_and_tables_that_say_the_same(look: Look) -> None:
    page = look.at(ASKED)
    described = page.locator("place-map svg").first.get_attribute("aria-label") or ""
    assert "by county of Texas" in described
    page.get_by_text("All figures by county").click()
    counties = page.get_by_role("region", name="County").locator("tbody tr")
    first = counties.first.inner_text().split("\t")
    assert f"most records: {first[0].partition(',')[0]} {first[1]} records," in described
    by_race = page.get_by_role("region", name="Race", exact=True).locator("tbody tr")
    numbers = [int(each.inner_text().split("\t")[1].replace(",", "")) for each in by_race.all()]
    assert sum(numbers[:-1]) == numbers[-1] == rows(page)
    page = look.at(f"{PAGE}?years=2022")
    described = page.locator("place-map svg").first.get_attribute("aria-label") or ""
    assert "by state" in described


def test_on_a_narrow_screen_the_answer_comes_first_and_filters_are_in_a_drawer(look: Look) -> None:
    look.page.set_viewport_size({"width": 390, "height": 844})
    page = look.at(ASKED)
    answer, drawer = page.locator(".site-sum"), page.locator("#choices")
    assert answer.bounding_box()["y"] < 600
    expect(drawer).to_be_hidden()
    opener = page.get_by_role("button", name="Filters (5)")
    opener.focus()
    page.keyboard.press("Enter")
    expect(drawer).to_be_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Close"
    page.locator("label[for=years-2021]").click()
    page.wait_for_url("**years=2022&**")
    expect(drawer).to_be_visible()
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    assert "2022" in answer.inner_text()
    assert "together" not in answer.inner_text()


def test_a_chip_removes_its_choice(look: Look) -> None:
    page = look.at(ASKED)
    page.get_by_role("link", name="Remove Race: Asian").click()
    page.wait_for_url("**races=White&**")
    expect(page.get_by_label("Asian")).not_to_be_checked()
    expect(page.get_by_role("link", name="Remove Race: Asian")).to_have_count(0)
    page.get_by_role("list", name="Chosen").get_by_role("link", name="Clear all").click()
    page.wait_for_url(f"**{PAGE}")


def test_all_records_of_a_lender_are_saved_without_a_filter(look: Look) -> None:
    page = look.at(f"{PAGE}?years=2022&find=demo+prairie")
    page.locator("#places label", has_text="Demo Prairie").first.click()
    page.wait_for_url("**leis=DEMO*")
    said = rows(page)
    _, path = save_download(
        page, page.locator("#files ~ .site-files").last.get_by_role("link", name="CSV")
    )
    assert len(path.read_text().splitlines()) == 1 + said


def test_measure_and_rows_are_chosen_without_the_page_coming_anew(look: Look) -> None:
    page = look.at(f"{PAGE}?years=2021,2022")
    expect(page.get_by_label("Share of", exact=True)).to_be_hidden()
    page.get_by_label("Measure", exact=True).select_option("share")
    page.wait_for_url("**measure=share")
    look.wait_until_idle()
    expect(page.get_by_label("Share of", exact=True)).to_be_visible()
    page.get_by_label("Measure", exact=True).select_option("denial_rate")
    page.wait_for_url("**measure=denial_rate")
    look.wait_until_idle()
    page.get_by_label("Rows", exact=True).select_option("years")
    page.wait_for_url("**by=years&measure=denial_rate")
    look.wait_until_idle()
    marks = page.locator("chart-values svg [aria-label*='2021:']")
    expect(marks.first).to_be_visible()
    page.get_by_label("Columns", exact=True).select_option("loan_types")
    page.wait_for_url("**by=years,loan_types&measure=denial_rate")
    look.wait_until_idle()
    expect(page.get_by_role("columnheader", name="Conventional")).to_be_visible()
    page.get_by_text("How it is computed").click()
    expect(page.get_by_text("in percent of the applications")).to_be_visible()


def test_an_institution_is_found_and_chosen(look: Look) -> None:
    page = look.at(PAGE)
    page.get_by_label("County, MSA/MD or institution").press_sequentially("demo prairie")
    found = page.locator("#places label", has_text="Demo Prairie")
    found.first.wait_for()
    number = int(found.first.locator(".site-count").inner_text().replace(",", ""))
    found.first.click()
    page.wait_for_url("**leis=DEMO*")
    expect(page.locator(".site-sum strong").first).to_have_text(f"{number:,}")
    page.reload()
    chosen = page.locator("#places input:checked")
    assert (chosen.count(), chosen.get_attribute("name")) == (1, "leis")
