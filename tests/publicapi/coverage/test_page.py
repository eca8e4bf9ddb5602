"""The page Am I covered?, as a browser without scripts uses it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from tests.publicapi.coverage.test_rules import BANK

pytestmark = pytest.mark.django_db

PAGE = "/tools/am-i-covered/"


def look(client: Client, status: int = 200, **sent: Any) -> str:
    answer = client.get(PAGE, sent)
    assert answer.status_code == status, answer.content
    return answer.content.decode()


def asked(page: str) -> set[str]:
    """Return the names of the questions that the form has."""
    form = page[page.index('<form method="get"') :]
    return set(re.findall(r'<(?:input|select)[^>]* name="(\w+)"', form))


def test_questions_that_make_no_difference_are_not_asked_again(client):
    assert asked(look(client, **BANK)) == set(BANK)
    assert asked(look(client, **BANK | {"assets": "$58,000,000"})) == {"year", "kind", "assets"}
    assert asked(look(client, **BANK | {"kind": "other"})) == {"year", "kind"}
    without = {"assets", "federal", "home_loan", "low_cra"}
    assert asked(look(client, **BANK | {"kind": "lender"})) == set(BANK) - without
    few = BANK | {"closed_end_1": 1, "open_end_1": 1}
    assert asked(look(client, **few)) == set(BANK) - {"records", "low_cra"}


def test_what_is_open_is_named_and_linked_to_its_question(client):
    page = look(client, year=2025, kind="bank")
    assert page.count("Open:") >= 5
    for name in ("assets", "federal", "office", "home_loan", "closed_end_1", "low_cra"):
        assert f'href="#id_{name}"' in page


def test_a_wrong_value_is_shown_at_its_question_and_an_unknown_parameter_is_named(client):
    page = look(client, 400, **BANK | {"assets": "many"})
    assert 'id="id_assets_error"' in page
    assert "Enter a whole number" in page
    assert "assetts is not a filter here" in look(client, **BANK, assetts=1)
