"""The service holds what its API document says, whatever anyone sends, or a filer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import settings
from schemathesis import Case
from schemathesis.specs.openapi.checks import (
    missing_required_header,
    negative_data_rejection,
    positive_data_acceptance,
    response_schema_conformance,
    status_code_conformance,
)

from config.identity import tokens
from config.wsgi import application
from filing import submissions
from filing.access import Caller
from filing.demo.loading import load_demo_census
from filing.lar.years import Period
from filing.models import Filing, Institution, Webhook
from filing.statuses import Status
from tests.api_document import api_document
from tests.conftest import LEI
from tests.filing.submissions.stages import work
from tests.filing.submissions.uploading import register, upload

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

OF_FILERS = "^/(v2/filing|hmda-auth)/"
FREE = re.compile(
    "/v2/public(/ts/|/lar/|/institutions|/edits|$)|/public/rateSpread$|/v2/data-browser-api/view/"
    "|/quarterly-data/"
)
# Answers of the site, at any address: the document does not repeat them at each operation.
OF_SITE = {
    400: "The query holds a NUL character or bytes that are not UTF-8; ",
    404: "There is nothing at this address.",
}
PLAIN = {"Accept-Encoding": "identity"}


def served(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer as a server does: it closes what it sends, also where the client reads no body."""
    with closing(application(environ, start_response)) as answer:
        return [b"".join(answer)]


@schemathesis.serializer("application/offset+octet-stream")
def as_they_are(context: Any, value: Any) -> bytes:
    """Return the bytes of a part of an upload."""
    return value if isinstance(value, bytes) else str(value).encode()


document = schemathesis.openapi.from_dict(api_document())
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
@document.exclude(path_regex=OF_FILERS).parametrize()
@settings(max_examples=25)
def test_whatever_is_sent_the_answer_is_as_described(case: Case) -> None:
    # No document can say which bytes are text, which texts are lines of a register, of which weeks
    # a rate is known, nor that one filter of many is needed. A blank filter is none, and that a
    # receipt was changed is an answer.
    is_free = case.media_type == "multipart/form-data" or FREE.match(case.path)
    may_be_wrong = case.path == "/v2/public/receipts/check" or "" in (case.query or {}).values()
    call(
        case,
        PLAIN,
        *([positive_data_acceptance] if is_free else []),
        *([negative_data_rejection] if may_be_wrong else []),
    )


def call(case: Case, headers: dict[str, str], *left_out: Any) -> None:
    """Hold the answer to a call against the document. left_out: checks that are not for it."""
    answer = case.call(headers=headers)
    of_site = OF_SITE.get(answer.status_code)
    if of_site and answer.json().get("message", "").startswith(of_site):
        left_out = (*left_out, status_code_conformance)
    case.validate_response(answer, headers=headers, excluded_checks=[*left_out])


@pytest.fixture
def census(db: None) -> None:
    load_demo_census(2024, by="test")


@pytest.fixture
def filed(
    one_connection: None, census: None, institution: Institution, filing: Filing, filer: Caller,
    tmp_path: Path,
) -> None:  # fmt: skip
    """A filer has submissions of all kinds: new, to verify, broken, signed; and a webhook."""
    for number, content in enumerate([b"", register(Q611=2), b"1|x\n2|y\n", register()], start=1):
        submission = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
        assert submission.sequence_number == number
        if content:
            upload(submission, content, filer, tmp_path)
            work(submission)
    assert submission.status == Status.VERIFIED
    submissions.sign_submission(submission, signed=True, by=filer)
    Webhook.objects.create(lei=LEI, url="https://bank.example/hmda")


@cache
def of_filer() -> dict[str, str]:
    claims = tokens.identity_claims("ann", username="ann", email="ann@bank.example", leis=[LEI])
    return PLAIN | {"Authorization": f"Bearer {tokens.issue_token(claims, seconds=6000)}"}


@pytest.mark.usefixtures("filed")
@document.include(path_regex=OF_FILERS).parametrize()
@settings(max_examples=10)
def test_whatever_a_filer_sends_the_answer_is_as_described(case: Case) -> None:
    # Most of it goes to institutions that are not the filer's.
    call(case, of_filer(), positive_data_acceptance)


@pytest.mark.usefixtures("filed")
@document.include(path_regex=OF_FILERS).parametrize()
@settings(max_examples=25)
def test_what_a_filer_sends_of_own_submissions_is_answered_as_described(case: Case) -> None:
    own = {"lei": LEI, "year": "2024", "sequenceNumber": str(1 + len(repr(case.query)) % 4)}
    for name in case.path_parameters:
        case.path_parameters[name] = own.get(name, case.path_parameters[name])
    # What was wrong in the path is right now. The protocol of uploads in parts has a status of its
    # own for a missing header, and events are described as one text.
    call(
        case,
        of_filer(),
        positive_data_acceptance,
        negative_data_rejection,
        *([missing_required_header] if "/uploads" in case.path else []),
        *([response_schema_conformance] if case.path.endswith("/progress") else []),
    )
