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
LOAN_TO_PRICE = {
    "actionTakenType": 1,
    "loanTerm": 30,
    "amortizationType": "FixedRate",
    "apr": 6.0,
    "lockInDate": "2017-11-20",
    "reverseMortgage": 2,
}
NO_EDITS: dict[str, Any] = {kind: {"errors": []} for kind in ("syntactical", "validity", "quality")}
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


def test_validate_ts(client):
    where = "/v2/public/ts/validate/2024"
    assert sent(client, where, {"ts": SHEET}) == NO_EDITS
    of_another_year = sent(client, where, {"ts": SHEET.replace("|2024|", "|2019|")})
    assert [each["edit"] for each in of_another_year["syntactical"]["errors"]] == ["S302"]
    assert list(sent(client, where, {"ts": "1|"}, 400)) == ERROR_KEYS


def test_parse_lar(client):
    values = sent(client, "/v2/public/lar/parse", {"lar": LOAN})
    assert values["larIdentifier"]["LEI"] == LEI
    assert list(sent(client, "/v2/public/lar/parse", {"lar": BROKEN_LOAN}, 400)) == ERROR_KEYS


def test_validate_lar(client):
    where = "/v2/public/lar/validate/2024"
    assert sent(client, where, {"lar": LOAN}) == NO_EDITS
    values = records.correct_loan(Period(2024), LEI) | {"loan_amount": "-1"}
    found = sent(client, where, {"lar": records.write_record_line(values)})["validity"]["errors"]
    assert [list(each) for each in found] == [["edit", "description"]] * len(found)
    assert "V617" in [each["edit"] for each in found]
    assert list(sent(client, where, {"lar": BROKEN_LOAN}, 400)) == ERROR_KEYS


def test_parse_a_file(client):
    where = "/v2/public/disclosure/parse"
    good, bad = f"{SHEET}\n{LOAN}\n", f"{SHEET}\n{BROKEN_LOAN}\n"
    for method in ("options", "post"):
        assert json.loads(whole(uploaded(client, where, good, method))) == {"validated": []}
        (row,) = json.loads(whole(uploaded(client, where, bad, method)))["validated"]
        assert (list(row), row["rowNumber"]) == (ERROR_KEYS, 2)


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


def test_generate_single(client):
    assert sent(client, "/v2/public/uli/checkDigit", {"loanId": LOAN_ID}) == {
        "loanId": LOAN_ID,
        "checkDigit": DIGITS,
        "uli": f"{LOAN_ID}{DIGITS}",
    }


@pytest.mark.parametrize("uli", [f"{LOAN_ID}{DIGITS}", f"{LOAN_ID}39"])
def test_validate_single(client, uli):
    is_valid = sent(client, "/v2/public/uli/validate", {"uli": uli})
    assert is_valid == {"isValid": uli.endswith(DIGITS)}


def test_generate_batch(client):
    lines = [LOAN_ID, "A" * 20, "A" * 21, "A" * 43, "A" * 44, "A" * 20 + "-"]
    rows = whole(uploaded(client, "/v2/public/uli/checkDigit/csv", "\n".join(lines))).splitlines()
    assert rows[:2] == ["loanId,checkDigit,uli", f"{LOAN_ID},{DIGITS},{LOAN_ID}{DIGITS}"]
    length, other = (
        "Loan ID is not between 21 and 43 characters long",
        "Loan ID is not alphanumeric",
    )
    told = [row.split(",") for row in rows[2:]]
    assert [cells[1:] for cells in (told[0], told[3], told[4])] == [
        ["Error", length],
        ["Error", length],
        ["Error", other],
    ]
    for cells in told[1:3]:
        assert cells[2] == cells[0] + cells[1]
        assert len(cells[1]) == 2
        assert cells[1].isdecimal()


def test_validate_batch(client):
    lines = [f"{LOAN_ID}{DIGITS}", f"{LOAN_ID}39", "A" * 22, "A" * 46, "A" * 22 + "-"]
    rows = whole(uploaded(client, "/v2/public/uli/validate/csv", "\n".join(lines))).splitlines()
    length = "ULI is not between 23 and 45 characters long"
    answers = ["true", "false", length, length, "ULI is not alphanumeric"]
    pairs = zip(lines, answers, strict=True)
    assert rows == ["uli,isValid", *(f"{line},{answer}" for line, answer in pairs)]


def test_the_address_of_the_examples_validates_loan_ids_too(client):
    rows = whole(uploaded(client, "/v2/public/uli/validate/csv", f"{LOAN_ID}\n")).splitlines()
    assert rows == ["uli,isValid", f"{LOAN_ID},false"]


# --- Rate-spread API: six parameters, two operations ---------------------------------------------


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({}, "2.010"),
        ({"actionTakenType": 2}, "2.010"),
        ({"actionTakenType": 8}, "2.010"),
        *(({"actionTakenType": action}, "NA") for action in (3, 4, 5, 6, 7)),
        ({"loanTerm": 1}, "1.000"),
        ({"loanTerm": 50}, "1.000"),
        ({"loanTerm": 0}, None),
        ({"loanTerm": 51}, None),
        ({"amortizationType": "VariableRate"}, "2.150"),
        ({"amortizationType": "Other"}, None),
        ({"apr": 6.5}, "2.510"),
        ({"apr": "six"}, None),
        ({"lockInDate": "2017-11-26"}, "2.010"),
        ({"lockInDate": "11/20/2017"}, None),
        ({"reverseMortgage": 1}, "NA"),
        ({"reverseMortgage": 3}, None),
    ],
)
def test_parameters_of_a_rate_spread(client, changes, answer):
    if answer is None:
        refused = sent(client, "/public/rateSpread", LOAN_TO_PRICE | changes, 400)
        assert next(iter(changes)) in refused["message"]
    else:
        asked = sent(client, "/public/rateSpread", LOAN_TO_PRICE | changes)
        assert asked == {"rateSpread": answer}


def test_rate_spreads_of_a_file(client):
    lines = ["1,30,FixedRate,6.0,2017-11-20,2", "3,30,FixedRate,6.0,2017-11-20,2"]
    answer = whole(uploaded(client, "/public/rateSpread/csv", "\n".join(lines)))
    assert answer.splitlines() == [f"{lines[0]},2.010", f"{lines[1]},NA"]


# --- Versioning and authentication ---------------------------------------------------------------


@pytest.mark.parametrize("path", ["/public/uli/validate", "/v2/public/rateSpread"])
def test_paths_have_the_prefix_that_the_specification_gives_them(client, path):
    answer = client.post(path, {"uli": LOAN_ID}, content_type="application/json")
    assert answer.status_code == 404
