"""The format of a file is checked by anyone, by OPTIONS as published or by POST."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.publicapi.uploads import (
    left_behind,
    part,
    refusal,
    register,
)

pytestmark = pytest.mark.django_db

__all__ = ["left_behind"]  # nothing of a file may stay, here as there

PUBLIC = "/v2/public"
PARSE = f"{PUBLIC}/disclosure/parse"
CSV = f"{PARSE}/csv"
METHODS = ["OPTIONS", "POST"]
WORDS = ["disclosure", "hmda"]
CALLS = [("OPTIONS", PARSE), ("POST", PARSE), ("POST", CSV)]
HEADER = "Row Number|Estimated ULI|Field Name|Input Value|Valid Values\n"
BROKEN = register({"loan_type": "x"}, {}, {"city": "ok"}, calendar_year="20x4") + b"\n2|only|three"


def sent(client: Client, method: str, data: Any, address: str = PARSE, **headers: str) -> Any:
    body = encode_multipart(BOUNDARY, data)
    return client.generic(method, address, body, content_type=MULTIPART_CONTENT, headers=headers)


def errors(client: Client, content: bytes, method: str = "POST", address: str = PARSE) -> Any:
    answer = sent(client, method, {"file": part(content)}, address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer["Cache-Control"] == "no-cache"
    body = json.loads(answer.getvalue())
    assert list(body) == ["validated"]
    return body["validated"]


def row(number: int, uli: str, *messages: tuple[str, str, str]) -> dict[str, Any]:
    keys = ("fieldName", "inputValue", "validValues")
    told = [dict(zip(keys, message, strict=True)) for message in messages]
    return {"rowNumber": number, "estimatedULI": uli, "errorMessages": told}


# --- what is found -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "word", "end"), [("OPTIONS", "disclosure", "/"), ("POST", "hmda", "")]
)
def test_a_file_that_can_be_read_gives_an_empty_list(client, method, word, end):
    address = f"{PUBLIC}/{word}/parse{end}"
    assert errors(client, register({}, {"loan_type": 9}), method, address) == []


@pytest.mark.parametrize("method", METHODS)
def test_lines_that_cannot_be_read_come_in_file_order_counted_from_1(client, method):
    assert errors(client, BROKEN, method) == [
        row(1, "Transmittal Sheet", ("Calendar Year", "20x4", "Integer")),
        row(2, uli_of(2), ("Loan Type", "x", "Integer: 1, 2, 3, 4")),
        row(5, "three", ("Incorrect Number of LAR Fields", "3", "110 Fields")),
    ]


def uli_of(line: int) -> str:
    return BROKEN.decode().split("\n")[line - 1].split("|")[2]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_lacks_its_transmittal_sheet(client, content):
    wrong = ("Incorrect Number of TS Fields", "0", "15 Fields")
    assert errors(client, content) == [row(1, "Transmittal Sheet", wrong)]


def test_a_huge_line_spoils_no_other(client):
    content = register({}) + b"\n2|a|b|" + b"x" * 200_000 + b"\n2|short"
    found = errors(client, content)
    assert [(each["rowNumber"], each["errorMessages"][0]["fieldName"]) for each in found] == [
        (3, "Line Length"),
        (4, "Incorrect Number of LAR Fields"),
    ]


@pytest.mark.parametrize("address", [PARSE, CSV])
def test_more_errors_than_an_answer_lists_are_refused_before_any_is_written(client, address):
    answer = sent(client, "POST", {"file": part(b"2\n" * 100_001)}, address)
    status, message = refusal(answer, address.removeprefix(PUBLIC))
    assert status == 413
    assert "100,001 formatting errors" in message
    assert "Incorrect Number of LAR Fields (100,000)" in message


# --- as CSV --------------------------------------------------------------------------------------


def test_every_message_has_a_line_of_its_own(client):
    content = register({"loan_type": "x", "loan_purpose": "", "income": "Exempt"})
    answer = sent(client, "POST", {"file": part(content)}, CSV)
    rows = list(csv.reader(answer.getvalue().decode().splitlines(), delimiter="|"))
    assert [(each[0], each[2], each[3]) for each in rows[1:]] == [
        ("2", "Loan Type", "x"),
        ("2", "Loan Purpose", ""),
        ("2", "Income", "Exempt"),
    ]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=HYPERLINK(A1)", "'=HYPERLINK(A1)"),
        ("@SUM(A1)", "'@SUM(A1)"),
        (" +cmd", "'+cmd"),  # read without blanks
        ("x,=1+1", "x,'=1+1"),  # opened as a file with commas
        ("-12x", "'-12x"),
        ("-12.5.", "'-12.5."),
        ("--", "'--"),
        ("-1,-2", "-1,-2"),  # numbers
    ],
)
def test_no_value_is_a_formula_of_a_spreadsheet(client, value, cell):
    content = register({"loan_purpose": value})
    answer = sent(client, "POST", {"file": part(content)}, CSV)
    rows = list(csv.reader(answer.getvalue().decode().splitlines(), delimiter="|"))
    assert rows[1][3] == cell


def test_a_file_that_can_be_read_gives_the_header_alone(client):
    assert sent(client, "POST", {"file": part(register({}))}, CSV).getvalue().decode() == HEADER


# --- OPTIONS -------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", WORDS)
def test_options_without_a_file_says_so(client, word):
    answer = client.options(f"{PUBLIC}/{word}/parse")
    assert (answer.status_code, answer.content) == (200, b"OPTIONS")
    assert answer["Content-Type"] == "text/plain; charset=UTF-8"


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "address"), CALLS)
def test_a_file_over_the_limit_for_all_is_refused(client, settings, method, address):
    settings.PUBLIC_UPLOAD_LIMIT = 1_000
    answer = sent(client, method, {"file": part(b"1" * 1_001)}, address)
    assert refusal(answer, address.removeprefix(PUBLIC))[0] == 413
