"""The public tools hold what their API document says, whatever is sent to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import settings
from schemathesis import Case
from schemathesis.specs.openapi.checks import positive_data_acceptance

from config.wsgi import application

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

PATHS = (
    "^/v2/public/uli/",
    "^/v2/public$",
    "^/v2/public/(ts|lar)/",
    "^/v2/public/disclosure/",
    "^/public/rateSpread",
    "^/file/modifiedLar/",
    "^/v2/data-browser-api/(health|view/(aggregations|parquet|filers))$",
    "^/quarterly-data/graphs",
)
FREE = re.compile(
    "/v2/public(/ts/|/lar/|$)|/public/rateSpread$|/v2/data-browser-api/view/|/quarterly-data/"
)
WRITTEN = Path(__file__).resolve().parent.parent / "docs" / "generated" / "openapi.json"


def served(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer as a server does: it closes what it sends, also where the client reads no body."""
    with closing(application(environ, start_response)) as answer:
        return [b"".join(answer)]


document = schemathesis.openapi.from_path(WRITTEN)
document.app = served


@pytest.fixture
def one_connection(db: None) -> Iterator[None]:
    """Keep the connection of the test, as Django's own client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("one_connection")
@document.include(path_regex="|".join(PATHS)).parametrize()
@settings(max_examples=25)
def test_whatever_is_sent_the_answer_is_as_described(case: Case) -> None:
    # No document can say which bytes are text, which texts are lines of a register, of which weeks
    # a rate is known, nor that one filter of many is needed.
    is_free = case.media_type == "multipart/form-data" or FREE.match(case.path)
    case.call_and_validate(
        headers={"Accept-Encoding": "identity"},
        excluded_checks=[positive_data_acceptance] if is_free else [],
    )
