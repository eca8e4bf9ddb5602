"""The one search of the help desk finds institutions, people and submissions, and leads to them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing.models import Submission
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
FIND = reverse("admin:filing_submission_find")


@pytest.fixture
def ann(db: None) -> User:
    """A filer of the institution."""
    return make.change(make.user("ann", lei=LEI), first_name="Ann", last_name="Example")


def titles(answer: Any) -> dict[str, list[str]]:
    return {
        group.title: [row.link.label for row in group.rows] for group in answer.context["groups"]
    }


@pytest.mark.servers
def test_one_search_finds_everything_that_matches(
    desk: Client, ann: User, submission: Submission
) -> None:
    for text, groups in [
        (LEI, {"Institutions", "People", "Submissions"}),
        ("Example", {"People"}),
        ("nobody at all", set()),
    ]:
        answer = desk.get(FIND, {"q": text})
        assert answer.status_code == 200
        assert set(titles(answer)) == groups
        if "People" in groups:
            assert titles(answer)["People"] == ["Ann Example"]


def test_an_empty_search_says_what_can_be_searched_by(desk: Client) -> None:
    answer = desk.get(FIND, {"q": " "})
    assert titles(answer) == {}
    assert "SHA-256" in answer.content.decode()
