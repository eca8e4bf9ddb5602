"""The calls of the LAR formatting tool: what they answer."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import pytest
from django.test import Client
from openpyxl import load_workbook

from filing.lar.fields import LAR
from filing.spreadsheets.written_files import CSV_TYPE, XLSX_TYPE
from publicapi.checks import describe_unavailable
from tests.conversions_here import conversions_here  # noqa: F401 -- a fixture
from tests.filing.edits.cases import LEI
from tests.publicapi.lar_tool.calls import (
    LAR_TOOL,
    SHEET,
    as_csv,
    body,
    loans,
    pipe_file,
    refusal,
    report,
    sent,
)
from tests.publicapi.uploads import left_behind  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db

TEXT = "text/plain; charset=UTF-8"
NAME = f"2024-4-{LEI}"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("year=2017", describe_unavailable("2017")),
        ("year=x", describe_unavailable("x")),
        ("record=x", "The record 'x' is unknown; enter one of lar, ts."),
        ("record=", "The record '' is unknown; enter one of lar, ts."),
    ],
)
def test_a_wrong_parameter_of_the_fields_is_refused(
    client: Client, query: str, message: str
) -> None:
    assert refusal(client.get(f"{LAR_TOOL}/fields?{query}"), "fields") == (400, message)


@pytest.mark.parametrize("names", ["label", "name", "reference"])
def test_a_template_has_a_header_for_each_field(client: Client, names: str) -> None:
    fields = report(client.get(f"{LAR_TOOL}/fields?year=2024"))["fields"]
    answer = client.get(f"{LAR_TOOL}/template?format=csv&names={names}&year=2024")
    assert answer["Content-Disposition"] == 'attachment; filename="lar-2024.csv"'
    text = body(answer, CSV_TYPE).decode("utf-8-sig")
    (header,) = csv.reader(io.StringIO(text))
    assert header == [field[names] for field in fields]
    answer = client.get(f"{LAR_TOOL}/template?names={names}&year=2024")
    assert answer["Content-Disposition"] == 'attachment; filename="lar-2024.xlsx"'
    book = load_workbook(io.BytesIO(body(answer, XLSX_TYPE)))
    assert header in [[cell.value for cell in sheet[1]] for sheet in book.worksheets]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("format=x", "The format 'x' is unknown; enter one of xlsx, csv."),
        ("names=x", "The names 'x' is unknown; enter one of label, name, reference."),
        ("year=2017", describe_unavailable("2017")),
    ],
)
def test_a_wrong_parameter_of_a_template_is_refused(
    client: Client, query: str, message: str
) -> None:
    assert refusal(client.get(f"{LAR_TOOL}/template?{query}"), "template") == (400, message)


def test_a_cell_that_cannot_be_read_stops_the_file_and_the_report_says_why(client: Client) -> None:
    content = as_csv(loans({}, {"action_taken_date": "21/7/2024"}))
    answer = sent(client, "convert?format=txt", content, sheet=SHEET)
    assert answer.status_code == 422
    facts = answer.json()
    assert not facts["canWrite"]
    (finding,) = [each for each in facts["findings"]["first"] if each["kind"] == "reading"]
    assert (finding["row"], finding["column"], finding["value"]) == (3, "L", "21/7/2024")
    written = sent(client, "convert?format=txt", content, sheet=SHEET, options={"asTyped": True})
    assert b"|21/7/2024|" in body(written, TEXT)


def test_a_zip_has_all_changes_and_findings(client: Client) -> None:
    content = as_csv(loans({}, {"loan_type": "9.0"}))
    answer = sent(client, "convert?format=zip", content, sheet=SHEET)
    assert answer["Content-Disposition"] == f'attachment; filename="{NAME}.zip"'
    with zipfile.ZipFile(io.BytesIO(body(answer, "application/zip"))) as archive:
        names = [f"{NAME}.txt", "findings.csv", "changes.csv", "columns.csv"]
        assert archive.namelist() == names
        assert archive.read(names[0]).startswith(b"1|")
        assert b"V611" in archive.read("findings.csv")
        assert b"9.0" in archive.read("changes.csv")
        assert archive.read("columns.csv").count(b"\n") >= 110


def test_a_zip_of_a_file_that_cannot_be_written_says_why(client: Client) -> None:
    content = as_csv(loans({"action_taken_date": "21/7/2024"}))
    answer = sent(client, "convert?format=zip", content, sheet=SHEET)
    with zipfile.ZipFile(io.BytesIO(body(answer, "application/zip"))) as archive:
        assert archive.namelist() == ["findings.csv", "changes.csv", "columns.csv"]
        assert b"21/7/2024" in archive.read("findings.csv")


@pytest.mark.parametrize("kind", ["xlsx", "csv"])
@pytest.mark.parametrize("names", ["label", "name"])
def test_a_lar_becomes_a_spreadsheet_and_the_same_lar_again(
    client: Client, kind: str, names: str
) -> None:
    lar = pipe_file({}, {"street": "=1+1", "income": "-5"})
    options = {"sheet": True} if kind == "csv" else {}
    answer = sent(client, f"spreadsheet?format={kind}&names={names}", lar, options=options)
    assert answer["Content-Disposition"] == f'attachment; filename="{NAME}.{kind}"'
    spreadsheet = body(answer, XLSX_TYPE if kind == "xlsx" else CSV_TYPE)
    again = sent(client, "convert?format=txt", spreadsheet)
    assert body(again, TEXT) == lar


def test_a_pipe_file_without_a_loan_becomes_a_header(client: Client) -> None:
    answer = sent(client, "spreadsheet?format=xlsx", pipe_file())
    book = load_workbook(io.BytesIO(body(answer, XLSX_TYPE)))
    assert book["Loans"].max_row == 1


def test_parts_that_are_files_are_read(client: Client) -> None:
    file = io.BytesIO(as_csv([["Amt", *loans()[0][1:]], *loans({})[1:]]))
    part = io.BytesIO(json.dumps({"Amt": LAR[0].name}).encode())
    file.name, part.name = "loans.csv", "map.json"
    answer = client.post(f"{LAR_TOOL}/columns", {"file": file, "map": part})
    assert report(answer)["columns"][0]["matched"] == "given"


def test_the_answer_is_what_the_format_says(client: Client) -> None:
    client.defaults["HTTP_ACCEPT"] = "image/png"
    answer = sent(client, "convert?format=txt", as_csv(loans({})), sheet=SHEET)
    assert body(answer, TEXT) == pipe_file({})


def test_rows_that_are_left_out_are_listed(client: Client) -> None:
    content = as_csv([*loans({}), ["", "Total"]])
    report_file = report(sent(client, "convert?year=2024", content, sheet=SHEET))["file"]
    assert (report_file["rows"], report_file["leftOutTotal"]) == (1, 1)
    assert report_file["leftOut"][0]["row"] == 3
