"""The panel import says what it did with every row."""

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from filing.errors import BadInput
from filing.models import Institution
from filing.panel import panel_imports

pytestmark = pytest.mark.django_db
HEADER = "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"
GOOD = {
    "activity_year": "2024",
    "lei": "529900TESTBANK000042",
    "name": "Test Bank",
    "tax_id": "12-3456789",
    "agency": "9",
    "email_domains": "bank.example",
    "quarterly_filer": "true",
}


def row(**changes: str) -> str:
    return ",".join((GOOD | changes).values())


@pytest.fixture
def panel(tmp_path):
    """Write a panel file."""

    def write(*lines: str, header: str = HEADER) -> Path:
        path = tmp_path / "panel.csv"
        path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
        return path

    return write


@pytest.mark.servers
def test_a_row_becomes_an_institution(panel):
    report = panel_imports.load_panel(panel(row()))
    assert (report.read, report.added, report.changed, report.unchanged) == (1, 1, 0, 0)
    assert (report.skipped, report.differences, report.loaded) == ([], [], True)
    found = Institution.objects.get()
    assert (found.activity_year, found.lei, found.name) == (2024, GOOD["lei"], "Test Bank")
    assert (found.tax_id, found.agency, found.quarterly_filer) == ("12-3456789", 9, True)
    assert found.email_domains == ["bank.example"]


@pytest.mark.servers
def test_a_changed_row_changes_its_columns_and_nothing_else(panel):
    panel_imports.load_panel(panel(row() + ",Springfield", header=f"{HEADER},city"))
    before = Institution.objects.get()
    report = panel_imports.load_panel(panel(row(name="New Bank", quarterly_filer="no")))
    found = Institution.objects.get()
    assert (report.added, report.changed, report.unchanged) == (0, 1, 0)
    assert (found.pk, found.name, found.quarterly_filer) == (before.pk, "New Bank", False)
    assert found.city == "Springfield"
    assert report.differences == [
        "row 2, 529900TESTBANK000042: name 'Test Bank' to 'New Bank', quarterly_filer True to False"
    ]


def test_cells_are_read_as_people_write_them(panel):
    for column, cell, value in (
        ("agency", "Office of the Comptroller of the  Currency", 1),
        ("agency", "FRB", 2),
        ("agency", "Federal Reserve", 2),
        ("agency", "Fdic", 3),
        ("quarterly_filer", "Yes", True),
        ("quarterly_filer", "F", False),
        ("email_domains", "", []),
        ("email_domains", "Bank.Example; @a.example", ["bank.example", "a.example"]),
        ("email_domains", '"bank.example, bank.example;"', ["bank.example"]),
        ("tax_id", "", ""),
    ):
        assert panel_imports.load_panel(panel(row(**{column: cell}))).skipped == []
        assert getattr(Institution.objects.get(), column) == value, cell


def test_a_file_from_a_spreadsheet_is_read(panel):
    path = panel(row(), "", row(lei="529900OTHERBANK00017"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    report = panel_imports.load_panel(path)
    assert (report.read, report.added, report.skipped) == (2, 2, [])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The header row has no column activity_year, lei, name"),
        (b"activity_year,lei,name,tax_id,agency,quarterly_filer\n", "no column email_domains"),
        (f"{HEADER},lei\n".encode(), "The header row has lei more than once"),
        (f"{HEADER}\n2024,Ca\xf1on".encode("latin-1"), "panel.csv is not UTF-8 text"),
        (f"{HEADER}\n2024\0".encode(), "panel.csv has NUL characters"),
        (f"{HEADER}\n".encode() + b"x" * 200_000, "Row 2 cannot be read: field larger"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(panel, content, message):
    path = panel()
    path.write_bytes(content)
    with pytest.raises(BadInput, match=message):
        panel_imports.load_panel(path)


def test_a_dry_run_reports_and_loads_nothing(panel):
    report = panel_imports.load_panel(panel(row(), row(lei="x")), dry_run=True)
    assert (report.added, len(report.skipped), report.loaded) == (1, 1, False)
    assert not Institution.objects.exists()


def test_a_strict_import_loads_nothing_when_a_row_is_bad(panel):
    report = panel_imports.load_panel(panel(row(), row(lei="x")), strict=True)
    assert (report.added, report.loaded) == (1, False)
    assert not Institution.objects.exists()
    assert panel_imports.load_panel(panel(row()), strict=True).loaded


def test_many_institutions_take_few_queries(panel):
    path = panel(*(row(lei=f"{number:020d}") for number in range(500)))
    with CaptureQueriesContext(connection) as first:
        assert panel_imports.load_panel(path).added == 500
    with CaptureQueriesContext(connection) as second:
        assert panel_imports.load_panel(path).unchanged == 500
    assert len(first) < 60
    assert len(second) < 10
