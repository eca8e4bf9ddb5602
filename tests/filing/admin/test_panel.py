"""Carrying over and exporting from the list, the history of an institution, its deletion."""

from __future__ import annotations

import csv
import io
from typing import Any

import openpyxl
import pytest
from auditlog.models import LogEntry
from django.db.models import CharField, TextField
from django.test import Client
from django.urls import reverse

from filing.admin.forms import REASON_MISSING
from filing.models import Filing, Institution
from filing.panel import exports, panel_imports
from tests.conftest import LEI
from tests.filing.admin.institution_form import TYPED
from tests.filing.admin.previewing import confirm

pytestmark = pytest.mark.django_db
CARRY = reverse("admin:filing_institution_carry")
EXPORT = reverse("admin:filing_institution_export")
WHY = "They told us by phone."


def page_of(institution: Institution, name: str) -> str:
    return reverse(f"admin:filing_institution_{name}", args=[institution.pk])


def test_a_wrong_choice_is_explained(admin_client: Client, institution: Institution) -> None:
    for changes, message in [
        ({"to_year": "2024"}, "The panel of 2024 cannot be carried over to 2024"),
        ({"from_year": "2020"}, "The panel of 2020 has no such institutions"),
        ({"states": "CA, XX"}, "Unknown state: XX. Enter two-letter codes, such as CA, NY."),
        ({"to_year": "2031"}, "2031 is not one of the available choices."),
    ]:
        chosen = {"from_year": "2024", "to_year": "2025", "states": ""} | changes
        assert message in admin_client.post(CARRY, chosen).content.decode()
        assert Institution.objects.count() == 1


def exported(client: Client, extension: str, question: str = "") -> bytes:
    answer = client.post(EXPORT + question, {"format": extension})
    assert answer.status_code == 200
    assert f'.{extension}"' in answer["Content-Disposition"]
    return b"".join(answer)


def test_the_list_is_exported_as_it_is_filtered_and_can_be_imported_again(
    admin_client: Client, institution: Institution, tmp_path: Any
) -> None:
    Institution.objects.create(activity_year=2023, lei=LEI, name="Older", agency=9)
    Institution.objects.filter(activity_year=2024).update(
        name='=cmd|"x"', city="@home", notes="two\nlines", hmda_filer=True
    )
    assert b"Older" not in exported(admin_client, "csv", "?activity_year=2024")
    text = exported(admin_client, "csv").decode("utf-8-sig")
    assert "Older" in text
    assert '"\'=cmd|""x"""' in text
    book = openpyxl.load_workbook(io.BytesIO(exported(admin_client, "xlsx")))
    cells = {cell.value: cell.data_type for row in book.active.rows for cell in row}
    assert cells['\'=cmd|"x"'] == "s"
    assert cells[2024] == "n"
    for extension in ("csv", "xlsx"):
        path = tmp_path / f"panel.{extension}"
        path.write_bytes(exported(admin_client, extension))
        report = panel_imports.load_panel(path)
        assert (report.unchanged, report.changes, report.skipped) == (2, [], [])
        assert report.ignored_columns[0] == "hmda_filer"
    assert Institution.objects.get(activity_year=2024).hmda_filer


def test_no_cell_of_an_export_begins_as_a_formula(
    admin_client: Client, institution: Institution
) -> None:
    for begin in ["=", "+", "-", "@", "\t", "\r"]:
        formula = f'{begin}HYPERLINK("x")'
        texts = [
            field.name
            for field in Institution._meta.fields
            if isinstance(field, CharField | TextField) and field.name in exports.EXPORTED_COLUMNS
        ]
        assert {"name", "city", "notes", "parent_name", "top_holder_name"} <= {*texts}
        cut = {name: formula[: Institution._meta.get_field(name).max_length] for name in texts}
        Institution.objects.update(**cut, email_domains=[formula])
        book = openpyxl.load_workbook(io.BytesIO(exported(admin_client, "xlsx")))
        header, row = book.active.iter_rows()
        assert [cell.value for cell in header] == exports.EXPORTED_COLUMNS
        assert {cell.data_type for cell in row} <= {"s", "n", "inlineStr"}
        in_workbook = {
            name: cell.value for name, cell in zip(exports.EXPORTED_COLUMNS, row, strict=True)
        }
        text = exported(admin_client, "csv").decode("utf-8-sig")
        (in_csv,) = csv.DictReader(io.StringIO(text, newline=""))
        for name in (*texts, "email_domains"):
            assert in_csv[name].startswith(f"'{begin}"), name
            # XML knows one line break only.
            assert in_workbook[name].startswith(f"'{begin}".replace("\r", "\n")), name


def test_an_export_of_an_unknown_filter_goes_back_to_the_list(admin_client: Client) -> None:
    answer = admin_client.get(EXPORT + "?nonsense=1")
    assert answer["Location"] == reverse("admin:filing_institution_changelist") + "?e=1"


@pytest.mark.parametrize("page", ["add", "change"])
def test_without_a_reason_nothing_is_changed(
    admin_client: Client, institution: Institution, page: str
) -> None:
    address = page_of(institution, page) if page == "change" else None
    sent = TYPED | {"name": "New Bank", "reason": " "}
    answer = admin_client.post(address or reverse("admin:filing_institution_add"), sent)
    assert REASON_MISSING in answer.content.decode()
    assert set(Institution.objects.values_list("name", flat=True)) == {"Test Bank"}


def test_an_institution_is_deleted_for_a_reason(
    admin_client: Client, institution: Institution
) -> None:
    page = page_of(institution, "delete")
    refused = admin_client.post(page, {"post": "yes", "reason": ""}, follow=True)
    assert "Nothing was deleted: enter a reason." in refused.content.decode()
    assert Institution.objects.exists()
    confirm(admin_client, admin_client.get(page), reason=WHY)
    assert not Institution.objects.exists()
    entry = LogEntry.objects.filter(action=LogEntry.Action.DELETE).get()
    assert entry.additional_data == {"reason": WHY}


def test_an_institution_with_filings_stays_and_its_page_says_why(
    admin_client: Client, filing: Filing
) -> None:
    page = page_of(filing.institution, "delete")
    for answer in (
        admin_client.get(page),
        admin_client.post(page, {"post": "yes", "reason": WHY}, follow=True),
    ):
        assert "cannot be deleted: it has filings" in answer.content.decode()
    assert Institution.objects.exists()


def test_the_check_digits_of_an_lei_count_unless_made_up_ones_are_let_in(
    admin_client: Client, settings: Any
) -> None:
    page, sent = reverse("admin:filing_institution_add"), TYPED | {"lei": "529900TESTBANK000042"}
    settings.TEST_LEIS = False
    answer = admin_client.post(page, sent)
    assert "the check digits, its last two characters, are wrong" in answer.content.decode()
    assert not Institution.objects.exists()
    settings.TEST_LEIS = True
    admin_client.post(page, sent)
    assert Institution.objects.count() == 1
