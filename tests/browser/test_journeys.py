"""People who have never been here: how many clicks and minutes from what they have to the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from tests.browser import lender_workbooks
from tests.browser.conftest import Look, lei_of
from tests.browser.filers import YEAR, employ
from tests.browser.journeys import Journey
from tests.flow.conftest import Service

CONTACT = {"phone": "999-555-0100", "street": "1 Main Street", "city": "Lincoln"} | {
    "state": "NE",
    "zip_code": "68508",
}


@pytest.fixture(scope="module")
def records(site: Service, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    employ(site, lei_of("journeys"), "joan")
    path = tmp_path_factory.mktemp("journeys") / "lar.txt"
    site.manage("make_lar", "--year", YEAR, "--lei", lei_of("journeys"), "--rows", "50", str(path))
    return lender_workbooks.read_records(path)


def convert(look: Look, path: Path, *, columns: dict[str, str], exempt: bool = False) -> Journey:
    """Bring a workbook, and go on to what the tool says of it."""
    page = look.sign_in("joan", reverse("lar-tool"))
    walk = Journey(page)
    walk.read()
    walk.bring(page.locator("#file"), path)
    if page.get_by_label("Data year").input_value() != YEAR:
        walk.select(page.get_by_label("Data year"), YEAR)
    heading = page.get_by_role("heading", name="Match the columns")
    walk.click(page.get_by_role("button", name="Read the file"), until=heading)
    for header, name in columns.items():
        walk.select(page.get_by_label(header, exact=True), name)
    for name, value in CONTACT.items():
        if not page.locator(f"#ts-contact_{name}").input_value():
            walk.fill(page.locator(f"#ts-contact_{name}"), value)
    if exempt:
        walk.click(page.get_by_text("We are partially exempt"))
    for question in page.locator("#questions select").all():
        walk.select(question, "fractions")
    heading = page.get_by_role("heading", name="Result", exact=True)
    walk.click(page.get_by_role("button", name="Confirm and convert"), until=heading)
    return walk


def file_until_ready(walk: Journey) -> None:
    """File what was converted, and review and verify until it can be signed."""
    page: Page = walk.page
    if page.locator("#questions").count():
        again = page.get_by_role("heading", name="Ready to file").or_(
            page.get_by_role("heading", name="No findings")
        )
        walk.click(page.get_by_role("button", name="See the result again"), until=again)
    walk.click(page.get_by_role("button", name="File this LAR"), until="**/filing/**")
