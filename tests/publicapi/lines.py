"""Lines as the tests send them, and what they get."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from filing.edits import examples
from filing.lar.years import Period
from tests.filing.edits.cases import LEI

PUBLIC = "/v2/public"
YEAR = Period(2024)
NOTHING: dict[str, Any] = {kind: {"errors": []} for kind in ("syntactical", "validity", "quality")}
PARSE = {"ts": "/ts/parse", "lar": "/lar/parse"}
VALIDATE = {"ts": "/ts/validate/2024", "lar": "/lar/validate/2024"}
PATHS = [*PARSE.items(), *VALIDATE.items()]


def sheet(period: Period = YEAR, **changes: str | int) -> str:
    return examples.write_record_line(
        examples.correct_transmittal_sheet(period, LEI, 100) | changes
    )


def loan(period: Period = YEAR, **changes: str | int) -> str:
    return examples.write_record_line(examples.correct_loan(period, LEI) | changes)


def asked(client: Client, path: str, body: Any, **more: Any) -> Any:
    data = body if isinstance(body, (bytes, str)) else json.dumps(body)
    answer = client.post(PUBLIC + path, data, content_type="application/json", **more)
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-cache"
    return answer


def parsed(client: Client, key: str, line: str) -> dict[str, Any]:
    answer = asked(client, PARSE[key], {key: line})
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def found(client: Client, key: str, line: str, path: str = "") -> dict[str, list[str]]:
    """Return the codes of the edits by kind; a kind without any is left out."""
    answer = asked(client, path or VALIDATE[key], {key: line})
    assert answer.status_code == 200, answer.content
    assert list(answer.json())[:3] == [*NOTHING]
    return {
        kind: [each["edit"] for each in errors["errors"]]
        for kind, errors in by_kind(answer).items()
        if errors["errors"]
    }


def by_kind(answer: Any) -> dict[str, Any]:
    """Return what an answer found, without what it says of the rules themselves."""
    return {key: value for key, value in answer.json().items() if key in NOTHING}


def unread(client: Client, key: str, line: str) -> tuple[str, list[dict[str, str]]]:
    """Return what is said of a line that cannot be read, the same wherever it is sent."""
    bodies = []
    for path in (PARSE[key], VALIDATE[key]):
        answer = asked(client, path, {key: line})
        assert answer.status_code == 400
        bodies.append(answer.json())
    assert bodies[0] == bodies[1]
    assert list(bodies[0]) == ["rowNumber", "estimatedULI", "errorMessages"]
    assert bodies[0]["rowNumber"] == 0
    return bodies[0]["estimatedULI"], bodies[0]["errorMessages"]


def wrong_number(kind: str, found: int, wanted: int) -> list[dict[str, str]]:
    name = f"Incorrect Number of {kind} Fields"
    return [{"fieldName": name, "inputValue": str(found), "validValues": f"{wanted} Fields"}]
