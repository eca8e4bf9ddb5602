"""What the stages found, as the API shows it: the CSV of all edits and of one, and the details."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

import pytest
from django.test import Client

from filing.access import Caller
from filing.demo.loading import load_demo_census
from filing.edits import catalogue
from filing.edits.edit import EditLevel
from filing.jobs import loop
from filing.lar.years import Period
from filing.models import Institution, Submission
from tests import make
from tests.conftest import LEI
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db

YEAR = Period(2024)
EDITS = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1/edits"
SHORT = ["editType", "editId", "ULI", "editDescription"]
RATE_SPREAD, HIGH = 58, "8.501"  # as the loans have it that fail Q611
DETAILED = [*SHORT, "rowNumber", "fields"]


@pytest.fixture(autouse=True)
def census(db: None) -> None:
    load_demo_census(2024, by="test")


@pytest.fixture
def client(institution: Institution) -> Client:
    return make.program(leis=[LEI])


@pytest.fixture
def filed(submission: Submission, filer: Caller, tmp_path: Any) -> Any:
    """File a register and work on it; give the values of its lines."""

    def file(content: bytes) -> list[list[str]]:
        loop.run_job(upload(submission, content, filer, tmp_path).pk)
        submission.refresh_from_db()
        return [line.split("|") for line in content.decode().splitlines()]

    return file


def table(client: Client, address: str) -> list[list[str]]:
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=UTF-8")
    assert answer["Cache-Control"] == "no-cache"
    return list(csv.reader(StringIO(answer.getvalue().decode())))


def text(code: str, level: EditLevel = EditLevel.LAR) -> str:
    return catalogue.find_edit(code, YEAR, level).text


# --- all edits as CSV ---------------------------------------------------------------------------


def test_the_csv_has_a_line_for_each_record_and_macro_edits_last(client, filed):
    lines = filed(register(Q611=2, Q637=1))
    told = table(client, f"{EDITS}/csv")
    high = [line[2] for line in lines[1:] if line[RATE_SPREAD] == HIGH]
    assert len(high) == 2
    assert told == [
        SHORT,
        *(["Quality", "Q611", uli, text("Q611")] for uli in high),
        ["Macro", "Q637", "", text("Q637", EditLevel.FILE)],
    ]


def test_edits_of_the_sheet_and_of_the_file_have_the_lei_and_the_first_line(client, filed):
    lines = filed(register(S303=1, S304=1, V617=1))
    line = next(n for n, values in enumerate(lines, 1) if values[9].startswith("-"))
    sheet = (
        "Federal Agency: Provided: 9, Expected: 9; "
        "Federal Taxpayer Identification Number: Provided: 99-9999999, Expected: 12-3456789; "
        f"Legal Entity Identifier (LEI): Provided: {LEI}, Expected: {LEI}"
    )
    counts = "Entries Reported in Transmittal Sheet: 61; Total Number of LARs Found in File: 60"
    amount = f"Loan Amount: {lines[line - 1][9]}"
    assert table(client, f"{EDITS}/csv?detail=true") == [
        DETAILED,
        ["Syntactical", "S303", LEI, text("S303", EditLevel.TS), "1", sheet],
        ["Syntactical", "S304", LEI, text("S304", EditLevel.FILE), "1", counts],
        ["Validity", "V617", lines[line - 1][2], text("V617"), str(line), amount],
    ]


@pytest.mark.parametrize("address", ["csv", "V617/csv", "Q637/csv"])
def test_before_anything_is_found_there_is_the_header_alone(client, submission, address):
    assert len(table(client, f"{EDITS}/{address}")) == 1


@pytest.mark.parametrize("address", ["csv", "V617", "V617/csv"])
def test_a_submission_that_does_not_exist_is_not_found(client, submission, address):
    answer = client.get(f"{EDITS.replace('/1/', '/2/')}/{address}")
    assert answer.status_code == 404
    assert answer.json()["message"] == f"submission with ID: {LEI}-2024-2 does not exist"


@pytest.mark.parametrize("address", ["csv", "V617/csv"])
def test_another_institutions_findings_are_for_nobody_else(submission, address):
    assert Client().get(f"{EDITS}/{address}").status_code == 401
    assert make.program("ben", leis=["OTHER"]).get(f"{EDITS}/{address}").status_code == 403


# --- one edit as CSV ----------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["v617", "V617-10"])
def test_what_is_no_code_is_an_address_that_does_not_exist(client, submission, code):
    assert client.get(f"{EDITS}/{code}/csv").status_code == 404


# --- details ------------------------------------------------------------------------------------


def test_repeated_loans_are_told_by_their_lines_in_detail_and_csv(client, filed):
    lines = [tuple(line) for line in filed(register(S305=2))]
    same = [number for number, line in enumerate(lines, 1) if lines.count(line) > 1]
    told = f"{lines[same[0] - 1][2]}: lines {', '.join(map(str, same))}"
    (row,) = client.get(f"{EDITS}/S305").json()["rows"]
    assert row == {"id": LEI, "fields": [{"name": "All data fields in the LAR", "value": told}]}
    _, line = table(client, f"{EDITS}/S305/csv")
    assert (line[2], line[4:]) == (LEI, ["1", f"All data fields in the LAR: {told}"])
