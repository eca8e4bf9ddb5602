"""The pages of yearly reports in a browser: each step to a report, narrow, dark, and on paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.browser import barriers
from tests.browser.conftest import NARROW, WIDE, Look
from tests.flow.conftest import ALWAYS, Service

pytestmark = pytest.mark.slow
YEAR, FILED = "2022", "2024"
AGGREGATE, DISCLOSURE = f"/data/reports/{YEAR}/aggregate/", f"/data/reports/{YEAR}/disclosure/"
WAIT_SECONDS = 60


@pytest.fixture(scope="module")
def service(
    run_service: Callable[..., Service], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A service of this module's own, with the reports of a year of made-up records.

    One file of another year is signed, whose Institution Register Summaries are public.
    """
    service = run_service(1, LIMIT_PUBLIC="off", IRS_PUBLIC_YEARS=FILED)
    (lei,) = service.unused
    path = str(tmp_path_factory.mktemp("filed") / "lar.txt")
    service.manage_all(["load_census", FILED, "--demo"], ["open_season", FILED, *ALWAYS])
    service.manage("make_lar", path, "--year", FILED, "--lei", lei, "--rows", "300")
    where = ("--url", service.url, "--token", service.tokens[lei])
    service.manage("file_lar", path, "--year", FILED, "--lei", lei, *where, "--verify", "--sign")
    service.manage("load_census", YEAR, "--demo")
    service.manage("make_public_lar", "--rows", "6000", "--years", YEAR)
    accepted = ("--accept-disagreements", "The records are made up.")
    service.manage("publish", YEAR, "--dataset", "snapshot", *accepted)
    yield service
    service.end()


@pytest.fixture
def look(service: Service, open_page: Callable[[str], Look]) -> Look:
    """A page, once a worker has counted the reports."""
    look = open_page(service.url)
    wait_for(look, AGGREGATE)
    return look


def wait_for(look: Look, address: str) -> None:
    """Wait until a worker has made what is at an address."""
    until = time.monotonic() + WAIT_SECONDS
    while look.page.request.get(look.url + address).status != 200:
        assert time.monotonic() < until, f"{address} is not made."
        time.sleep(0.5)


def is_fine(look: Look) -> None:
    """Look at a page in light and dark, on a narrow screen and a wide one."""
    assert look.page.locator("h1").count() == 1
    barriers.judge(look)


def follow(look: Look, name: str) -> None:
    """Follow the first link of the page with such a name, by keyboard."""
    look.page.get_by_role("main").get_by_role("link", name=name).first.focus()
    with look.page.expect_navigation():
        look.page.keyboard.press("Enter")


def test_each_step_to_an_aggregate_report_is_a_page(look: Look) -> None:
    look.at("/data/reports/")
    steps = (YEAR, "California", "Demo Area", "5. Applications by Income")
    for name in steps:
        is_fine(look)
        follow(look, name)
    expect(look.page.locator("h1")).to_have_text("5. Applications by Income, Race, and Ethnicity")
    is_fine(look)
    place = look.page.url.removeprefix(look.url).removesuffix("5/")
    for code in ("1", "2", "3", "4", "9", "i"):
        look.at(f"{place}{code}/")
        is_fine(look)


def test_the_first_column_of_a_report_stays_while_the_others_are_scrolled(look: Look) -> None:
    look.at(AGGREGATE)
    for name in ("California", "Demo Area", "1. Applications by Tract"):
        follow(look, name)
    look.page.set_viewport_size(NARROW)
    area = look.page.get_by_role("region", name="Applications by Tract")
    first = area.locator("tbody th[scope=row]").first
    before = first.bounding_box()
    area.focus()
    area.evaluate("element => element.scrollBy(400, 0)")
    after = first.bounding_box()
    assert before is not None
    assert after is not None
    assert before["x"] == after["x"]
    look.page.set_viewport_size(WIDE)


def test_an_institution_is_searched_and_its_reports_are_pages(look: Look) -> None:
    page = look.at(DISCLOSURE)
    is_fine(look)
    name = page.locator("main li a").last.inner_text()
    page.get_by_label("Name or LEI").fill(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("1 of")
    follow(look, name)
    is_fine(look)
    follow(look, "Demo Area")
    is_fine(look)
    follow(look, "2. Loans Purchased")
    is_fine(look)
    look.at(page.url.removeprefix(look.url).replace("/2/", "/9/"), status=404)
    expect(page.get_by_role("link", name="Choose again")).to_be_visible()
    is_fine(look)


def test_the_institution_register_summary_is_a_page(service: Service, look: Look) -> None:
    (lei,) = service.unused
    address = f"/data/reports/{FILED}/disclosure/{lei}/nationwide/IRS/"
    wait_for(look, address)
    page = look.at(address)
    is_fine(look)
    expect(page.get_by_role("row").last).to_contain_text("TOTAL")
    expect(page.get_by_role("row").last).to_contain_text("300")
