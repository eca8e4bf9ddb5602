"""Uses of public tools are counted by day, on pages and over the API, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from config.requests import tool_uses
from filing import day_hours
from filing.models import ToolUse

pytestmark = pytest.mark.django_db
ULI = {"uli": "10Bx939c5543TqA1144M999143X10"}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    tool_uses._counts.clear()
    monkeypatch.setattr(tool_uses, "STORE_SECONDS", 0)
    yield
    tool_uses._counts.clear()


def counted() -> dict[str, int]:
    assert {use.day for use in ToolUse.objects.all()} <= {day_hours.today()}
    return dict(ToolUse.objects.values_list("tool", "uses"))


def test_answers_of_the_page_and_the_api_count_together(client: Client) -> None:
    for _ in range(2):
        answer = client.post("/v2/public/uli/validate", ULI, content_type="application/json")
        assert answer.status_code == 200
    client.get("/v2/public/receipts/nothing")
    client.get("/tools/check-digit/")
    assert counted() == {"check digit": 2}
    assert {field.name for field in ToolUse._meta.fields} == {"id", "day", "tool", "uses"}


def test_counts_are_kept_while_the_database_is_away(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: Any) -> None:
        raise DatabaseError("away")

    with monkeypatch.context() as patched:
        patched.setattr(ToolUse.objects, "get_or_create", refuse)
        client.post("/v2/public/uli/validate", ULI, content_type="application/json")
    assert counted() == {}
    client.post("/v2/public/uli/validate", ULI, content_type="application/json")
    assert counted() == {"check digit": 2}
