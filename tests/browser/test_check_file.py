"""The pages that check files and lines, and the edits reference, in a browser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from filing.edits import examples
from filing.lar.years import Period
from tests.browser.conftest import Look, save_download
from tests.flow.conftest import Service

ROWS = 10_000
YEAR, LEI = "2024", "529900EXAMPLELEI0001"
TO_BE_CORRECTED = 11
FAILS = ("S301:3", "V611:50", "Q600:2", "Q631:300")


@pytest.fixture(scope="module")
def register(site: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("check") / "register.txt"
    fails = [word for fail in FAILS for word in ("--fail", fail)]
    asked = ["--year", YEAR, "--rows", str(ROWS), "--lei", LEI, *fails]
    site.manage("make_lar", str(path), *asked)
    return path


def check_lar(site: Service, path: Path) -> str:
    """Return what the command finds; it ends with a number that says so."""
    words = [sys.executable, "manage.py", "check_lar", str(path), "--year", YEAR, "--csv"]
    done = subprocess.run(words, env=site.environment, capture_output=True, text=True, check=False)
    assert done.returncode == TO_BE_CORRECTED, done.stderr
    return done.stdout


def chosen(look: Look, path: Path) -> Page:
    page = look.at(reverse("check-file"))
    page.locator("#file").set_input_files(path)
    page.get_by_label("Data year").select_option(YEAR)
    return page


def test_ten_thousand_rows_are_checked_and_saved_as_check_lar_finds_them(
    site: Service, look: Look, register: Path
):
    page = chosen(look, register)
    page.get_by_role("button", name="Check file").click()
    heading = page.get_by_role("heading", name="Findings in register.txt")
    heading.wait_for()
    assert page.evaluate("document.activeElement.id") == "answer-heading"
    expect(page.get_by_text(f"{ROWS:,} records, checked with the edits of {YEAR}.")).to_be_visible()
    for counted in ("Syntactical 1 3", "Validity 1 50", "Quality 2 301"):
        expect(page.get_by_role("row", name=counted)).to_be_visible()
    page.get_by_text("Q631 300 records").click()
    page.get_by_text("The first 20 of 300 records.").wait_for()
    look.is_sound()
    look.fits()
    look.picture("check-file")
    name, path = save_download(
        page, page.get_by_role("button", name="save the results as CSV").last
    )
    assert name == "findings-register.csv"
    assert path.read_text() == check_lar(site, register)
    page.get_by_role("link", name="Q631 in the edits reference").click()
    page.get_by_role("heading", name="Edit Q631").wait_for()


def test_a_file_is_checked_and_saved_without_script(without_script: Look, register: Path):
    page = chosen(without_script, register)
    page.get_by_role("button", name="Check file").click()
    page.get_by_role("heading", name="Findings in register.txt").wait_for()
    assert page.get_by_label("Data year").input_value() == YEAR
    page.locator("#file").set_input_files(register)
    name, _ = save_download(page, page.get_by_role("button", name="Save results as CSV"))
    assert name == "findings-register.csv"


def test_lines_that_cannot_be_read_and_a_refusal_are_sound(look: Look, tmp_path: Path):
    file = tmp_path / "x.txt"
    for content, heading in (
        (b"1|Bank\n2|" + b"x" * 5_000, "Lines with formatting errors: 2"),
        ("1|Bank".encode("utf-16"), "There is a problem"),
    ):
        file.write_bytes(content)
        page = chosen(look, file)
        page.get_by_role("button", name="Check file").click()
        page.get_by_role("heading", name=heading).wait_for()
        look.is_sound()
        look.fits()


def test_lines_are_checked(look: Look):
    loan = examples.correct_loan(Period(2024), LEI) | {"loan_type": 9, "street": "x" * 300}
    page = look.at(reverse("check-line"))
    page.get_by_label("Lines").fill(examples.write_record_line(loan))
    page.get_by_label("Data year").select_option(YEAR)
    page.get_by_role("button", name="Check lines").click()
    page.get_by_role("heading", name="Validity edits: 1").wait_for()
    look.is_sound()
    look.fits()
    page.get_by_label("Lines").fill("2|x")
    page.get_by_role("button", name="Check lines").click()
    page.get_by_role("heading", name="Lines with formatting errors: 1").wait_for()
    look.is_sound()
    look.fits()


@pytest.mark.parametrize("code", ["Q646", "V600", "V628-1", "S305"])
def test_an_edit_has_a_page(tab: Look, code: str):
    page = tab.at(reverse("edit-page", args=[code]))
    for lines in page.locator("main summary").all():
        lines.click()
    tab.is_sound()
    tab.fits()


def test_the_example_of_an_edit_is_checked_with_one_click(look: Look):
    page = look.at(reverse("edit-page", args=["V611"]))
    page.get_by_role("button", name="Check the lines that trigger it").click()
    page.get_by_role("link", name="V611 in the edits reference").wait_for()
    look.is_sound()


def test_the_book_is_asked(look: Look):
    page = look.at(reverse("edit-book"))
    page.get_by_label("Code or words").fill("check digit")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="V609").first.wait_for()
    look.is_sound()
    look.fits()
