"""The operators' pages of their own in a browser: the season, its charts, and who has not filed."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from filing.demo.census import write_census as census_text
from tests.browser.conftest import FILLED_YEAR, Look
from tests.browser.superuser import look  # noqa: F401 -- a fixture

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("filled")]


def test_forms_name_the_time_zone_once(look: Look) -> None:
    page = look.at(reverse("admin:filing_announcement_add"))
    assert page.get_by_text("All times are").count() == 1
    assert not page.locator(".timezonewarning:visible").count()


def test_the_charts_are_shown_and_come_again_by_themselves(look: Look) -> None:
    look.page.clock.install()
    page = look.at(f"{reverse('admin:season')}?period={FILLED_YEAR}")
    look.picture("season")
    pictures = page.locator(".season-charts img")
    assert pictures.count() == 3
    drawn = "each => each.complete && each.naturalWidth > 300"
    assert all(pictures.nth(number).evaluate(drawn) for number in range(3))
    asked = f"**{reverse('admin:season_figures')}*"
    with page.expect_response(asked) as again:
        page.clock.run_for(16_000)
    assert again.value.status == 200
    page.locator("summary").first.click()
    expect(page.get_by_role("region", name="Signed and expected filings: numbers")).to_be_visible()
    came: list[str] = []
    page.on("request", lambda request: came.append(request.url))
    page.clock.run_for(16_000)
    page.wait_for_timeout(500)
    assert not came, "The figures must stay while a person reads a table."
    page.locator("summary").first.click()


def test_an_announcement_stands_on_pages_of_both_looks(look: Look) -> None:
    for path in ("/", "/admin/"):
        page = look.at(path)
        region = page.get_by_role("region", name="Announcements")
        assert "Warning: Loan limits of 2025 were corrected." in region.inner_text()


def test_reference_data_is_looked_at_loaded_and_counted_again(
    look: Look,
    tmp_path: Path,
) -> None:
    look.at(reverse("admin:filing_referencedata_changelist"))
    look.picture("reference-data")
    good, bad = tmp_path / "census.txt", tmp_path / "bad.txt"
    good.write_text(census_text(2019))
    bad.write_text(census_text(2018))

    def sent(file: Path) -> Page:
        page = look.at(f"{reverse('admin:filing_referencedata_load')}?kind=census&year=2019")
        page.set_input_files("[name=file]", file)
        page.get_by_role("button", name="Preview").click()
        return page

    page = sent(bad)
    assert "612 lines have errors" in page.inner_text("#content-main")
    for file in (good, tmp_path / "again.txt"):
        file.write_text(census_text(2019) + ("\n" if file != good else ""))
        page = sent(file)
        page.fill("[name=reason]", "A trial.")
        page.get_by_role("button", name="the census of 2019").click()
        assert "The census of 2019 is loaded" in page.inner_text(".messagelist")
    page.locator("#result_list tbody th a").nth(1).click()
    page.get_by_role("link", name="Restore").click()
    page.fill("[name=reason]", "The trial is over.")
    page.get_by_role("button", name="Restore this file").click()
    assert "The census of 2019 is restored" in page.inner_text(".messagelist")
