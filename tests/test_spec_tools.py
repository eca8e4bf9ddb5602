"""The specification's tables of the public tools, walked line by line through HTTP.

Each test is one table; each case one of its lines, with the result that the table names. What the
tables leave open is tested where the tools are.
"""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from filing.demo.loading import load_demo_census
from filing.edits.examples import records
from filing.lar.years import Period
from ratespread.models import AporKind
from tests.filing.edits.cases import LEI
from tests.ratespread.conftest import examples, load

pytestmark = pytest.mark.django_db

SHEET = records.write_record_line(records.correct_transmittal_sheet(Period(2024), LEI, 1))
LOAN = records.write_record_line(records.correct_loan(Period(2024), LEI))
BROKEN_LOAN = LOAN.replace("|", "|x", 3)
LOAN_ID, DIGITS = "10Bx939c5543TqA1144M999143X", "38"  # of appendix C of the regulation
ERROR_KEYS = ["rowNumber", "estimatedULI", "errorMessages"]


@pytest.fixture(autouse=True)
def tables(db: None) -> None:
    for kind in AporKind:
        load(kind, examples(kind))
    load_demo_census(2024, by="test")


def sent(client: Client, path: str, body: Any, status: int = 200) -> Any:
    answer = client.post(path, json.dumps(body), content_type="application/json")
    assert answer.status_code == status, answer.content
    return answer.json()


def uploaded(client: Client, path: str, text: str, method: str = "post") -> Any:
    file = io.BytesIO(text.encode())
    file.name = "lines.txt"
    data = encode_multipart(BOUNDARY, {"file": file})
    return client.generic(method.upper(), path, data, content_type=MULTIPART_CONTENT)


def whole(answer: Any) -> str:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content if answer.streaming else [answer.content]).decode()


# --- Public verification API: six operations, and what the two of a file answer ------------------


def test_parse_ts(client):
    values = sent(client, "/v2/public", {"ts": SHEET})
    assert list(values) == [
        *("id", "institutionName", "year", "quarter", "contact", "agency", "totalLines"),
        *("taxId", "LEI"),
    ]
    assert list(values["contact"]) == ["name", "phone", "email", "address"]
    assert list(values["contact"]["address"]) == ["street", "city", "state", "zipCode"]
    assert (values["id"], values["year"], values["quarter"]) == (1, 2024, 4)
    wrong = sent(client, "/v2/public", {"ts": SHEET.replace("|2024|", "|20x4|")}, 400)
    assert [each["fieldName"] for each in wrong["errorMessages"]] == ["Calendar Year"]


def test_parse_lar(client):
    values = sent(client, "/v2/public/lar/parse", {"lar": LOAN})
    assert values["larIdentifier"]["LEI"] == LEI
    assert list(sent(client, "/v2/public/lar/parse", {"lar": BROKEN_LOAN}, 400)) == ERROR_KEYS


def test_validate_a_file(client):
    where = "/v2/public/disclosure/validate/2024"
    values = records.correct_loan(Period(2024), LEI) | {"loan_amount": "-1"}
    lines = [SHEET, BROKEN_LOAN, records.write_record_line(values)]
    found = json.loads(whole(uploaded(client, where, "\n".join(lines) + "\n")))
    assert list(found) == ["parserErrors", "validationErrors"]
    (unread,) = found["parserErrors"]
    assert list(unread["errorMessages"][0]) == ["fieldName", "inputValue", "validValues"]
    (edits,) = [each for each in found["validationErrors"] if each[0]["uli"] == values["uli"]]
    assert list(edits[0]) == ["uli", "editName", "editDescription", "fields"]
    assert {"Loan Amount": "-1"} in [each["fields"] for each in edits]
    # Those that need the institution, other rows or the whole are not among them.
    codes = {each["editName"] for row in found["validationErrors"] for each in row}
    assert codes.isdisjoint({"S303", "S304", "S305", "Q600", "Q634"})


# --- Check-digit API: four operations, the batch rules and the limits ----------------------------


# --- Rate-spread API: six parameters, two operations ---------------------------------------------


# --- Versioning and authentication ---------------------------------------------------------------
