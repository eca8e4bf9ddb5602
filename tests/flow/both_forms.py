"""Institutions in an annual and a quarterly period, and the form of every refusal."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.errors import error_of
from tests.flow.conftest import Service
from tests.flow.filer import Filer

FORMS = ["annual", "quarterly"]


@pytest.fixture(scope="module", params=["2024", "2024-Q1"], ids=FORMS)
def reader(request: pytest.FixtureRequest, service: Service) -> Iterator[Filer]:
    """An institution whose filing nobody touches."""
    with Filer.of(service, request.param) as filer:
        yield filer


@pytest.fixture(params=["2024", "2024-Q1"], ids=FORMS)
def filer(request: pytest.FixtureRequest, service: Service) -> Iterator[Filer]:
    """An institution of its own, in an open annual and an open quarterly period."""
    with Filer.of(service, request.param) as filer:
        yield filer


def error(answer: httpx.Response, path: str) -> tuple[int, str]:
    """Return status and message of a refusal, having held it against the form of all refusals."""
    body = error_of(answer)
    assert set(body) == {"httpStatus", "message", "path"}
    assert body["httpStatus"] == answer.status_code
    assert body["path"] == path
    assert answer.headers["Cache-Control"] == "no-cache"
    return answer.status_code, body["message"]
