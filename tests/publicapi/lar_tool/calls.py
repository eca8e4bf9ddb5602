"""Calls of the LAR formatting tool, and what they send."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http.response import HttpResponseBase
from django.test import Client
from openpyxl import Workbook

from filing.edits import examples
from filing.lar.fields import LAR
from filing.lar.years import Period
from tests.errors import error_of
from tests.filing.edits.cases import LEI

LAR_TOOL = "/v2/public/lar"
YEAR = Period(2024)
EXAMPLE_LEI = "529900EXAMPLELEI0001"
SHEET = examples.correct_transmittal_sheet(YEAR, LEI, 1)
# The row of the contract.
EXAMPLE = b"""\
Loan ID,Application Date,Loan Type,Loan Amount,Action Taken Date,State,Zip Code,County,\
Census Tract,Income,Rate Spread,Interest Rate
LOAN2024A1,7/21/2024,1 - Conventional (not insured or guaranteed by FHA VA RHS or FSA),\
"$110,500.00",2024-08-30,California,2116,6037,6037264000,(36),exempt,4.125%
"""
EXAMPLE_SHEET = {**SHEET, "lei": EXAMPLE_LEI}
EXAMPLE_OPTIONS = {"checkDigit": "loan-id", "fill": {"business_or_commercial_purpose": "2"}}
EXAMPLE_LINE = (
    "2|529900EXAMPLELEI0001|529900EXAMPLELEI0001LOAN2024A177|20240721|1|||||110500.00||20240830"
    "|||CA|02116|06037|06037264000|||||||||||||||||||||||||||||||||||||||-36||Exempt"
    "|||||||||||||||||||4.125||||||||||||||||||||||||||||||||2"
)


def loans(*changes: dict[str, Any]) -> list[list[str]]:
    """Return a header with labels, and correct records with changes."""
    records = [
        examples.correct_loan(YEAR, LEI, uli=examples.numbered_uli(LEI, number)) | change
        for number, change in enumerate(changes)
    ]
    rows = ([str(record[field.name]) for field in LAR] for record in records)
    return [[field.label for field in LAR], *rows]


def as_csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def as_workbook(rows: Iterable[Sequence[str]]) -> bytes:
    book, file = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(list(row))
    book.save(file)
    return file.getvalue()


def pipe_file(*changes: dict[str, Any]) -> bytes:
    """Return a LAR of correct records with changes."""
    sheet = examples.correct_transmittal_sheet(YEAR, LEI, len(changes))
    _, *rows = loans(*changes)
    return "".join(
        f"{line}\n" for line in [examples.write_record_line(sheet), *map("|".join, rows)]
    ).encode()


def sent(
    client: Client, path: str, content: bytes, *, name: str = "loans.csv", **parts: Any
) -> Any:
    """Send a file with JSON parts."""
    fields = {part: json.dumps(value) for part, value in parts.items()}
    file = SimpleUploadedFile(name, content)
    answer = client.post(f"{LAR_TOOL}/{path}", {"file": file, **fields})
    assert answer["Cache-Control"] == "no-store"
    return answer


def body(answer: Any, content_type: str = "application/json") -> bytes:
    """Return the body of an answer with 200."""
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type), answer.getvalue()
    content: bytes = answer.getvalue()
    return content


def report(answer: HttpResponseBase) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(body(answer))
    return value


def refusal(answer: Any, path: str) -> tuple[int, str]:
    """Return status and message of a refusal, after checking its form."""
    error = error_of(answer)
    assert error == {
        "httpStatus": answer.status_code,
        "message": error["message"],
        "path": f"/lar/{path}",
    }
    return answer.status_code, error["message"]
