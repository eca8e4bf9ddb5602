"""People who have never been here: how many clicks and minutes from what they have to the end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from tests.browser import lender_workbooks
from tests.browser.conftest import PASSWORD, Look, lei_of
from tests.browser.filers import YEAR, employ
from tests.browser.journeys import Journey
from tests.flow.conftest import ALWAYS, Service
from uliapi.checkdigit import is_valid_uli

CONTACT = {
    "name": "Joan Example",
    "phone": "999-555-0100",
    "street": "1 Main Street",
    "city": "Lincoln",
    "state": "NE",
    "zip_code": "68508",
}


@pytest.fixture(scope="module")
def records(site: Service, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    employ(site, lei_of("journeys"), "joan")
    path = tmp_path_factory.mktemp("journeys") / "lar.txt"
    site.manage("make_lar", "--year", YEAR, "--lei", lei_of("journeys"), "--rows", "50", str(path))
    records = lender_workbooks.read_records(path)
    # One in 97 would be asked about: without its check digits it ends in valid ones by chance.
    return [each for each in records if not is_valid_uli(each["uli"][:-2])]


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
        walk.select(question, "fraction")
    heading = page.get_by_role("heading", name="Result", exact=True)
    walk.click(page.get_by_role("button", name="Confirm and convert"), until=heading)
    return walk


def find_ready_heading(page: Page) -> Locator:
    """Return the heading of a result in which nothing has to be corrected."""
    return page.get_by_role("heading", name=re.compile("^(Ready to file|No findings)$"))


def file_until_ready(walk: Journey) -> None:
    """File what was converted, and review and verify until it can be signed."""
    page = walk.page
    file = page.get_by_role("button", name="File this LAR")
    if page.locator("#questions").count():
        walk.click(
            page.get_by_role("button", name="See the result again"), until=find_ready_heading(page)
        )
    verify = page.get_by_role("button", name=re.compile("^Verify [a-z ]+ edits$"))
    sign = page.get_by_role("link", name="Certify and sign")
    walk.click(file, until=verify.or_(sign).first)
    if verify.count():
        walk.click(verify.first, until="**/sign/")
    else:
        walk.click(sign, until="**/sign/")
    expect(page.get_by_role("heading", name="Certify and sign")).to_be_visible()


@pytest.mark.parametrize("name", ["guide", "exempt", "fractions"])
def test_a_workbook_is_ready_to_sign_within_ten_minutes(
    look: Look, records: list[dict[str, str]], tmp_path: Path, name: str
) -> None:
    path = tmp_path / f"{name}.xlsx"
    if name == "guide":
        lender_workbooks.write_with_guide_headings(path, records)
        walk = convert(look, path, columns={})
    elif name == "exempt":
        lender_workbooks.write_of_exempt_lender(path, records)
        walk = convert(look, path, columns={"Appl. received": "application_date"}, exempt=True)
    else:
        lender_workbooks.write_with_fractions(path, records[:12])
        walk = convert(look, path, columns={})
    file_until_ready(walk)
    print(walk.summarize(f"workbook {name}"))
    assert walk.seconds / 60 <= 10
    assert walk.clicks <= 16


def test_who_has_filed_before_files_the_next_year_in_seven_clicks(
    site: Service, look: Look, records: list[dict[str, str]], tmp_path: Path
) -> None:
    """From the address that they kept to the receipt; quality and macro edits are verified."""
    lei, path = lei_of("journeys"), tmp_path / "lar.txt"
    next_year = str(int(YEAR) + 1)
    site.manage_all(["load_census", next_year, "--demo"], ["open_season", next_year, *ALWAYS])
    made = ("--year", next_year, "--lei", lei, "--rows", "200", "--fail", "Q611:12")
    site.manage("make_lar", *made, str(path))
    walk = Journey(look.at("/filing/"))
    page = walk.page
    walk.fill(page.locator("[name=username]"), "joan")
    walk.fill(page.locator("[name=password]"), PASSWORD)
    walk.click(page.locator("main [type=submit]"), until="**/filing/")
    upload = page.get_by_role("link", name=re.compile(f"^Upload a file for {next_year}, "))
    walk.click(upload, until="**/upload/")
    walk.bring(page.locator("#file"), path)
    verify = page.get_by_role("button", name=re.compile("^Verify [a-z ]+ edits$")).first
    walk.click(page.get_by_role("button", name="Upload", exact=True), until=verify)
    walk.click(verify, until="**/sign/")
    walk.click(page.get_by_text("I am an authorized representative"))
    walk.click(page.get_by_role("button", name="Sign", exact=True), until="**/receipt/")
    print(walk.summarize("next year"))
    assert walk.clicks <= 7
    assert walk.seconds / 60 <= 5
