"""The lists of submissions and filings in a browser, over a made-up season."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse

from tests.browser import barriers
from tests.browser.conftest import Look, save_download
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow

SUBMISSIONS = reverse("admin:filing_submission_changelist")
FILINGS = reverse("admin:filing_filing_changelist")


@pytest.fixture(scope="module")
def season(run_service: Callable[..., Service]) -> Service:
    """A service with a made-up season, without limits of requests."""
    season = run_service(1, LIMIT_SIGN_IN="off", LIMIT_PUBLIC="off", LIMIT_AUTHENTICATED="off")
    rows = (Path(__file__).parent / "rows.py").read_text().replace("000000000001", "000000000000")
    season.manage("shell", "-v", "0", "-c", rows)
    sizes = ("--institutions", "60", "--submissions", "500", "--seed", "4")
    season.manage("make_submissions", "--force", *sizes)
    return season


@pytest.fixture
def look(season: Service, open_page: Callable[[str], Look]) -> Look:
    return open_page(season.url)


def test_lists_show_what_needs_attention(look: Look) -> None:
    page = look.sign_in("root", SUBMISSIONS)
    barriers.judge(look)
    look.picture("submissions")
    assert page.locator("#result_list tbody tr").count() == 50
    assert "500 submissions" in page.locator(".paginator").inner_text()
    with page.expect_navigation():
        page.get_by_role("link", name="Needs attention").click()
    barriers.judge(look)
    with page.expect_navigation():
        page.get_by_role("link", name="Failed", exact=True).click()
    statuses = page.locator("#result_list tbody .field-state").all_inner_texts()
    assert statuses
    assert all("An error occurred" in status for status in statuses)
    look.at(FILINGS)
    barriers.judge(look)


def test_a_pasted_uli_finds_the_institution(look: Look) -> None:
    page = look.sign_in("root", SUBMISSIONS)
    lei = page.locator("#result_list tbody .field-lei").first.inner_text()
    page.fill("#searchbar", f"ULI {lei}0123456789AB12")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    found = page.locator("#result_list tbody .field-lei").all_inner_texts()
    assert set(found) == {lei}
    barriers.judge(look)


def test_a_list_is_narrowed_by_its_calendar_and_exported(look: Look) -> None:
    page = look.sign_in("root", SUBMISSIONS)
    for _ in range(2):
        with page.expect_navigation():
            page.locator(".toplinks a").last.click()
    barriers.judge(look)
    shown = page.locator("#result_list tbody tr").count()
    name, path = save_download(page, page.get_by_role("link", name="Export as CSV"))
    lines = path.read_text("utf-8-sig").splitlines()
    assert len(lines) == shown + 1
    assert name.startswith("submissions-")
