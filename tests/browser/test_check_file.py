"""The pages that check files and lines, and the edits reference, in a browser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

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
    look.picture("check-file")
    name, path = save_download(
        page, page.get_by_role("button", name="save the results as CSV").last
    )
    assert name == "findings-register.csv"
    assert path.read_text() == check_lar(site, register)
    page.get_by_role("link", name="Q631 in the edits reference").click()
    page.get_by_role("heading", name="Edit Q631").wait_for()
