"""Loans as the tests send them, and what is said of them."""

from __future__ import annotations

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.errors import error_of

SINGLE, LIST = "/public/rateSpread", "/public/rateSpread/csv"
LOAN: dict[str, Any] = {
    "actionTakenType": 1,
    "loanTerm": 30,
    "amortizationType": "FixedRate",
    "apr": 6.0,
    "lockInDate": "2023-11-20",
    "reverseMortgage": 2,
}
TERM = "loan term must be 1 to 50"
ACTION = "action taken type must be 1 to 8"
AMORTIZATION = "amortization type must be FixedRate or VariableRate"
APR = "APR must be a number such as 6.125"
DATE = "lock-in date must be a real date such as 2023-11-20"
REVERSE = "reverse mortgage must be 1 or 2 or 1111"
NO_APOR = "no average prime offer rate is known for the week of the lock-in date"


def asked(client: Client, body: Any, address: str = SINGLE) -> tuple[int, Any]:
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    answer = client.post(address, text, content_type="application/json")
    assert answer["Cache-Control"] == "no-cache"
    return answer.status_code, answer.json() if answer.status_code == 200 else error_of(answer)


def spread(client: Client, **changes: Any) -> tuple[int, Any]:
    status, body = asked(client, LOAN | changes)
    return status, body["rateSpread"] if status == 200 else body["message"]


def refused(client: Client, body: Any) -> str:
    status, found = asked(client, body)
    assert (status, found) == (
        400,
        {"httpStatus": 400, "message": found["message"], "path": "/rateSpread"},
    )
    return str(found["message"])


def batch(client: Client, content: bytes | str) -> str:
    data = content.encode() if isinstance(content, str) else content
    answer = client.post(LIST, {"file": SimpleUploadedFile("loans.csv", data)})
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/csv; charset=UTF-8"
    assert answer["Content-Disposition"] == 'attachment; filename="rate-spreads.csv"'
    return answer.getvalue().decode()
