"""A filing year without a release: staff prepare it, a filer files for it, staff publish it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from filing import day_hours
from filing.demo import census
from filing.lar.fields import STATES
from filing.lar.years import RULEBOOKS
from tests.browser.conftest import PASSWORD, Look, save_download
from tests.browser.filers import upload
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow

YEAR = RULEBOOKS[-1] + 2  # a new service has the year before it already, for checks
ANNUAL, QUARTERLY = f"{YEAR}", f"{YEAR}-Q1"
RECORDS = {ANNUAL: 300, QUARTERLY: 5_000}  # graphs leave out figures of fewer than 100 records
WORDS = f"provisional: the rules of {RULEBOOKS[-1]}"
PROVISIONAL = re.compile(WORDS, re.IGNORECASE)
LEI, BANK = "FLOWTEST000000000000", "Bank of the new year"
WHY = "The season begins before the release."
PREPARED_WITHIN = 60  # seconds, from the signature to the public records
REFRESHED = 2_500  # milliseconds after which each process has read changed years again
PEOPLE = f"""
from django.contrib.auth.models import Group, User
from filing.models import Membership
olga = User.objects.create_user("olga", "olga@service.example", {PASSWORD!r}, is_staff=True)
olga.groups.add(Group.objects.get(name="operator"))
fay = User.objects.create_user("fay", "fay@bank0.example", {PASSWORD!r})
Membership.objects.create(user=fay, lei={LEI!r})
"""
PANEL = f"""activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer
{YEAR},{LEI},{BANK},12-3456789,9,bank0.example,true
"""


@pytest.fixture(scope="module")
def service(run_service: Callable[..., Service]) -> Service:
    """A service of this module's own, whose years no other test sees."""
    service = run_service(1)
    service.manage("shell", "-v", "0", "-c", PEOPLE)
    return service


def loan_limits() -> str:
    """Return the same limits for every county of the made-up census."""
    counties = (
        f"{number}|{county}|County {county}|{state}||806500|1032650|1248150|1551250\n"
        for state, number in STATES.items()
        for county in census.COUNTIES
    )
    return "State|County|Name|Abbreviation|CBSA|1|2|3|4\n" + "".join(counties)


def confirm(page: Page, button: str) -> None:
    """Enter a reason, and press the button that does what was previewed."""
    page.locator("[name=reason]").fill(WHY)
    page.get_by_role("button", name=button, exact=True).click()


def prepare_year(look: Look) -> None:
    """Prepare the year from the front page of the admin, and open it step by step."""
    page, form = look.page, look.page.locator("fieldset").first
    page.get_by_role("link", name="Prepare a filing year").click()
    expect(page.get_by_label("Data year")).to_have_value(ANNUAL)
    confirm(page, "Save")
    page.locator("#result_list").get_by_role("link", name=ANNUAL).click()
    expect(form).to_contain_text("draft: Staff prepare it")
    for stage in ("checks", "filing"):
        page.get_by_role("link", name=f"Move to stage {stage}").click()
        confirm(page, f"Move 1 filing year to stage {stage}")
        expect(page.get_by_text("Done for 1 of 1.")).to_be_visible()
        page.get_by_role("rowheader").get_by_role("link", name=ANNUAL).click()
        expect(form).to_contain_text(PROVISIONAL)
        expect(form).to_contain_text(f"{stage}: ")
    page.wait_for_timeout(REFRESHED)


def load_data(look: Look, folder: Path) -> None:
    """Load the reference data and the panel of the year."""
    page = look.page
    for name, text in (
        ("census", census.write_census(YEAR)),
        ("county loan limits", loan_limits()),
    ):
        (folder / f"{name}.txt").write_text(text)
        look.at(f"/admin/filing/filingyear/{YEAR}/change/")
        page.get_by_role("link", name=f"Load the {name} of {YEAR}").click()
        page.set_input_files("[name=file]", folder / f"{name}.txt")
        page.get_by_role("button", name="Preview").click()
        confirm(page, f"Load the {name} of {YEAR}")
        expect(page.get_by_text(f"The {name} of {YEAR} is loaded")).to_be_visible()
    (folder / "panel.csv").write_text(PANEL)
    look.at("/admin/filing/institution/import/")
    page.set_input_files("[name=file]", folder / "panel.csv")
    page.get_by_role("button", name="Preview").click()
    confirm(page, "Import 1 institution")
    expect(page.get_by_text("The panel was imported.")).to_be_visible()


def open_season(look: Look) -> None:
    """Open the annual period and the first quarter, on days around today."""
    page = look.at(f"/admin/filing/seasonopening/open/?year={YEAR}")
    for period in (ANNUAL, QUARTERLY):
        for label, days in (("First day", -7), ("Filing deadline", 30), ("Last day", 60)):
            day = day_hours.today() + timedelta(days=days)
            page.get_by_label(f"{period}: {label}", exact=True).fill(day.isoformat())
    for quarter in ("Q2", "Q3"):
        page.get_by_label(f"Open {YEAR}-{quarter}").uncheck()
    page.get_by_role("button", name="Preview").click()
    confirm(page, f"Open season {YEAR}")
    expect(page.get_by_text("2 filings created")).to_be_visible()
    look.at(f"/admin/filing/filingperiod/?year={YEAR}")
    expect(page.locator("#result_list tbody tr", has_text=PROVISIONAL)).to_have_count(2)


def make_register(service: Service, folder: Path, period: str) -> Path:
    path = folder / f"{period}.txt"
    words = ["--year", ANNUAL, *(["--quarter", "Q1"] if period == QUARTERLY else [])]
    words += ["--lei", LEI, "--rows", f"{RECORDS[period]}", "--fail", "Q611:40", "--fail", "Q637"]
    service.manage("make_lar", str(path), *words)
    return path


def file_register(look: Look, period: str, register: Path) -> None:
    """File for a period, from its card to the receipt; each page says which rules stand in."""
    page, main = look.page, look.page.locator("main")
    look.at("/filing/")
    page.get_by_role("link", name=period, exact=True).click()
    submission = upload(page, register)
    page.wait_for_url("**/edits/")
    for step in ("All edits", "Review and verify quality edits"):
        page.goto(submission)
        expect(main).to_contain_text(PROVISIONAL)
        page.get_by_role("link", name=step).click()
        expect(main).to_contain_text(PROVISIONAL)
    page.get_by_role("button", name="Verify quality and macro edits").click()
    page.wait_for_url("**/sign/")
    expect(main).to_contain_text(PROVISIONAL)
    page.get_by_text("I am an authorized representative").click()
    page.get_by_role("button", name="Sign", exact=True).click()
    page.wait_for_url("**/receipt/")
    expect(main.locator("code").first).to_have_text(re.compile(rf"{LEI}-{period}-1-\d{{13}}"))
    expect(main).to_contain_text(f"{RECORDS[period]:,} records")
    expect(main).to_contain_text(PROVISIONAL)


def compute_graphs(look: Look) -> None:
    """Compute the graphs once both files are prepared for publication."""
    until = time.monotonic() + PREPARED_WITHIN
    done = look.page.locator("#result_list td.field-state", has_text="done")
    while look.at("/admin/databrowser/modifiedlar/") and done.count() < len(RECORDS):
        assert time.monotonic() < until, "The signed files are not prepared for publication."
        time.sleep(0.5)
    page = look.at("/admin/graphs/computation/add/")
    confirm(page, "Compute the graphs")
    made_from = page.locator("#content-main fieldset").first
    expect(made_from).to_contain_text(f"{YEAR}: quarterly filings, files: 1")


def publish_year(look: Look) -> None:
    page = look.at(f"/admin/databrowser/version/build/?year={YEAR}")
    expect(page.get_by_text("takes in 1 signed submission")).to_be_visible()
    page.get_by_label("Publish it as soon as it is built").check()
    confirm(page, "Build the data set")
    expect(page.locator("#outcome")).to_have_text(f"Version {YEAR}-1: built.")


def test_a_year_without_a_release_is_prepared_filed_and_published(
    service: Service, open_page: Callable[[str], Look], tmp_path: Path
) -> None:
    staff, filer, reader = (open_page(service.url) for _ in range(3))
    staff.sign_in("olga", "/admin/")
    prepare_year(staff)
    load_data(staff, tmp_path)
    open_season(staff)

    page, main = reader.at("/filing/deadlines/"), reader.page.locator("main")
    for row in (f"{ANNUAL} {WORDS}", f"{QUARTERLY} {WORDS}", f"{ANNUAL} filing {WORDS}"):
        expect(page.get_by_role("row", name=row)).to_be_visible()
    registers = {period: make_register(service, tmp_path, period) for period in RECORDS}
    reader.at("/tools/check-file/")
    page.locator("#file").set_input_files(registers[ANNUAL])
    page.get_by_label("Data year").select_option(ANNUAL)
    page.get_by_role("button", name="Check file").click()
    expect(page.locator("#answer")).to_contain_text(PROVISIONAL)

    filer.sign_in("fay", "/filing/")
    for period, register in registers.items():
        file_register(filer, period, register)

    compute_graphs(staff)
    reader.at("/data/graphs/all-applications/")
    expect(page.locator("#graph tbody")).to_contain_text(QUARTERLY)
    expect(main).to_contain_text(PROVISIONAL)
    publish_year(staff)
    reader.at(f"/data/downloads/?find={LEI}")
    expect(main).to_contain_text(PROVISIONAL)
    expect(main).to_contain_text(f"{RECORDS[ANNUAL]} records of 1 institution.")
    _, path = save_download(page, page.get_by_role("link", name=f"TXT of {BANK}, {YEAR}"))
    _, *records = path.read_text().splitlines()
    assert len(records) == RECORDS[ANNUAL]
    assert all(record.startswith(f"{YEAR}|{LEI}|") for record in records)
