"""The panel import says what it did with every row."""

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from filing.errors import BadInput
from filing.models import Institution
from filing.panel import panel_imports
from tests import make

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


def test_further_columns_of_the_model_are_read_and_unknown_ones_named(panel):
    header = f"{HEADER},City,state,rssd,favourite_colour"
    report = panel_imports.load_panel(panel(row() + ",Springfield,IL,42,blue", header=header))
    found = Institution.objects.get()
    assert (found.city, found.state, found.rssd) == ("Springfield", "IL", 42)
    assert report.ignored_columns == ("favourite_colour",)


def test_what_signing_sets_is_no_column_of_the_import(panel):
    make.institution(GOOD["lei"], hmda_filer=True)
    report = panel_imports.load_panel(panel(row() + ",false", header=f"{HEADER},hmda_filer"))
    assert report.ignored_columns == ("hmda_filer",)
    assert Institution.objects.get().hmda_filer


def test_a_second_import_finds_everything_unchanged(panel):
    path = panel(row(), row(activity_year="2025"))
    panel_imports.load_panel(path)
    report = panel_imports.load_panel(path)
    assert (report.read, report.added, report.changed, report.unchanged) == (2, 0, 0, 2)


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


def test_a_bad_row_is_skipped_with_its_reason_and_the_good_ones_load(panel):
    """Every kind of bad row: tests/filing/admin/test_panel_import.py."""
    report = panel_imports.load_panel(panel(row(), row(lei="529900OTHERBANK00017", agency="4")))
    (skipped,) = report.skipped
    assert skipped.row == 3
    assert "agency: '4' is not an agency; enter a code or a name: 1 OCC, 2 FRS," in str(skipped)
    assert (report.read, report.added) == (2, 1)
    assert Institution.objects.get().lei == GOOD["lei"]


@pytest.mark.parametrize(("cell", "number"), [("", 0), ("42", 42)])
def test_a_number_is_zero_when_blank(panel, cell, number):
    report = panel_imports.load_panel(panel(f"{row()},{cell}", header=f"{HEADER},rssd"))
    assert report.skipped == []
    assert Institution.objects.get().rssd == number


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("1", 1),
        ("OCC", 1),
        ("Office of the Comptroller of the  Currency", 1),
        ("frs", 2),
        ("FRB", 2),
        ("Federal Reserve", 2),
        ("fdic", 3),
        ("Fdic", 3),
        ("NCUA", 5),
        ("national credit union administration", 5),
        ("HUD", 7),
        ("CFPB", 9),
        ("Consumer Financial Protection Bureau", 9),
    ],
)
def test_an_agency_is_read_by_its_code_or_by_its_name(panel, cell, code):
    assert panel_imports.load_panel(panel(row(agency=cell))).skipped == []
    assert Institution.objects.get().agency == code


def test_all_reasons_of_a_row_are_given(panel):
    report = panel_imports.load_panel(panel(row(lei="x", agency="x", tax_id="x")))
    assert len(report.skipped[0].reasons) == 3


def test_the_second_row_of_an_institution_and_year_is_skipped(panel):
    report = panel_imports.load_panel(panel(row(), row(activity_year="2025"), row(name="Again")))
    assert str(report.skipped[0]) == "row 4: the same LEI and year are in row 2"
    assert set(Institution.objects.values_list("name", flat=True)) == {"Test Bank"}


@pytest.mark.parametrize(
    ("cell", "domains"),
    [
        ("", []),
        ("bank.example", ["bank.example"]),
        ("Bank.Example; @loans.bank.example", ["bank.example", "loans.bank.example"]),
        ('"bank.example, loans.bank.example"', ["bank.example", "loans.bank.example"]),
        ('"bank.example,bank.example;"', ["bank.example"]),
    ],
)
def test_mail_domains_are_separated_by_commas_or_semicolons(panel, cell, domains):
    panel_imports.load_panel(panel(row(email_domains=cell)))
    assert Institution.objects.get().email_domains == domains


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *[(word, True) for word in ("TRUE", "t", "Yes", "1")],
        *[(word, False) for word in ("False", "F", "no", "0")],
    ],
)
def test_booleans_are_read_as_people_write_them(panel, word, value):
    panel_imports.load_panel(panel(row(quarterly_filer=word)))
    assert Institution.objects.get().quarterly_filer is value


def test_a_blank_tax_id_is_taken(panel):
    assert panel_imports.load_panel(panel(row(tax_id=""))).added == 1


def test_a_file_from_a_spreadsheet_is_read(panel):
    path = panel(row(), "", row(lei="529900OTHERBANK00017"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    report = panel_imports.load_panel(path)
    assert (report.read, report.added, report.skipped) == (2, 2, [])


def test_the_row_number_is_the_line_in_the_file_also_after_a_line_break_in_quotes(panel):
    path = panel(row() + ',"two\nlines"', row(lei="x") + ",", header=f"{HEADER},notes")
    assert panel_imports.load_panel(path).skipped[0].row == 4


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


@pytest.mark.servers
def test_two_thousand_institutions_take_few_queries(panel):
    path = panel(*(row(lei=f"{number:020d}") for number in range(2_000)))
    with CaptureQueriesContext(connection) as first:
        assert panel_imports.load_panel(path).added == 2_000
    with CaptureQueriesContext(connection) as second:
        assert panel_imports.load_panel(path).unchanged == 2_000
    assert len(first) < 100
    assert len(second) < 10
