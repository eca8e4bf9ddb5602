"""An answer is sent once: whoever has it already is told so, by its ETag."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.test import RequestFactory
from rest_framework.request import Request

from filing.files import responses

ETAG = '"v1"'


@pytest.fixture(params=["of Django", "of an API"])
def asked(request: Any) -> Any:
    """Return how to ask, as a view of either kind is asked."""

    def ask(method: str = "GET", **headers: str) -> HttpRequest | Request:
        plain = RequestFactory().generic(method, "/", headers=headers)
        return Request(plain) if request.param == "of an API" else plain

    return ask


def whole() -> HttpResponseBase:
    return HttpResponse("all of it", headers={"X-Of": "the answer"})


def not_made() -> HttpResponseBase:
    raise AssertionError("The answer was made although nobody needs it.")


@pytest.mark.parametrize("headers", [{}, {"If-None-Match": '"v0"'}, {"If-Match": '"v1", "v2"'}])
def test_whoever_has_it_not_gets_it_with_its_etag(asked, headers):
    request = asked(**headers)
    answer = responses.answer_conditionally(request, ETAG, whole)
    assert (answer.status_code, answer["ETag"], answer["X-Of"]) == (200, ETAG, "the answer")


@pytest.mark.parametrize(
    ("method", "sent"),
    [("GET", ETAG), ("HEAD", f"W/{ETAG}"), ("GET", f'"v0", {ETAG}'), ("GET", "*")],
)
def test_whoever_has_it_is_told_so_and_it_is_not_made(asked, method, sent):
    answer = responses.answer_conditionally(
        asked(method, **{"If-None-Match": sent}), ETAG, not_made
    )
    assert isinstance(answer, HttpResponse)
    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", ETAG)


def test_whoever_wants_only_another_gets_nothing(asked):
    answer = responses.answer_conditionally(asked(**{"If-Match": '"v0"'}), ETAG, not_made)
    assert (answer.status_code, answer["ETag"]) == (412, ETAG)


def test_only_what_is_read_can_be_had_already(asked):
    answer = responses.answer_conditionally(
        asked("POST", **{"If-None-Match": ETAG}), ETAG, not_made
    )
    assert answer.status_code == 412
