"""Who has too many downloads open, and when one more is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.test import RequestFactory

from config.limits.middleware import OpenStreams
from tests import make

pytestmark = pytest.mark.django_db
DOWNLOAD = "/v2/public/modifiedLAR/2024/x/csv"
Answer = Callable[..., HttpResponseBase]


class Content:
    """The pieces of an answer, which notes that it was closed."""

    closed = 0

    def __iter__(self) -> Iterator[bytes]:
        return iter([b"one ", b"two"])

    def close(self) -> None:
        Content.closed += 1


def stream(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(Content())


@pytest.fixture
def answer(settings: Any) -> Answer:
    """Return the answer to a request from an address, or of a token."""
    settings.STREAMS_PER_CALLER = 2
    settings.TRUSTED_PROXIES = []
    Content.closed = 0
    middleware, requests = OpenStreams(stream), RequestFactory()

    def answer(path: str = DOWNLOAD, *, sub: str = "", address: str = "192.0.2.1") -> Any:
        headers = make.bearer(sub) if sub else {}
        return middleware(requests.get(path, headers=headers, REMOTE_ADDR=address))

    return answer


def test_a_slot_is_free_when_an_answer_ends(answer: Answer) -> None:
    first, second = answer(), answer()
    refused: Any = answer()
    assert (refused.status_code, refused["Retry-After"]) == (429, "10")
    assert b"You have 2 downloads and event streams open" in refused.content
    assert b"Try again in 10 seconds." in refused.content
    refused.close()
    assert Content.closed == 1  # that of the answer which is not sent
    second.close()
    second.close()
    third: Any = answer()
    assert b"".join(third.streaming_content) == b"one two"
    assert answer().status_code == 429
    first.close()
    third.close()
    assert [answer().status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.servers
def test_each_caller_has_its_own(answer: Answer) -> None:
    addresses = [{}, {"address": "192.0.2.2"}, {"address": "2001:db8::1"}]
    for others in (*addresses, {"sub": "ann"}, {"sub": "bob"}):
        assert [answer(**others).status_code for _ in range(3)] == [200, 200, 429], others
    assert answer(address="2001:db8::2").status_code == 429
    assert answer(sub="ann", address="192.0.2.3").status_code == 429


def test_a_page_is_refused_with_a_page(answer: Answer) -> None:
    answer("/tools/x/"), answer("/tools/x/")
    refused: Any = answer("/tools/x/")
    assert refused.status_code == 429
    assert "Wait 10 seconds, then try again." in " ".join(refused.content.decode().split())
    assert "the most for one caller" in refused.content.decode()
