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
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode
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
from filing.api.value_schemas import AT_LEAST_ONE_OF
from filing.demo.loading import load_demo_census
from filing.lar.years import Period
from filing.models import Filing, Institution, Webhook
from filing.statuses import Status
from tests.api_document import api_document
from tests.conftest import LEI
from tests.filing.submissions.stages import work
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.slow

OF_FILERS = "^/(v2/filing|hmda-auth)/"
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


# A conversion is a process of its own: what each option may be would take a quarter of an hour.
CONVERSIONS = {
    "include-path-regex": "^/v2/public/lar/(columns|convert|spreadsheet)$",
    "phases": {"coverage": {"enabled": False}},
}
document = schemathesis.openapi.from_dict(
    api_document(), config=SchemathesisConfig.from_dict({"operations": [CONVERSIONS]})
)
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
    # A blank filter is none, and that a receipt was changed is an answer.
    may_be_wrong = case.path == "/v2/public/receipts/check" or "" in (case.query or {}).values()
    left_out = [negative_data_rejection] if may_be_wrong else []
    call(case, PLAIN, positive_data_acceptance, *left_out)


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
    # Most of it goes to institutions that are not the filer's. Events are described as one text.
    events = [response_schema_conformance] if case.path.endswith("/progress") else []
    call(case, of_filer(), positive_data_acceptance, *events)


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


# What the data of a site decide: a value that they have.
VALUES = {"years": "2018,2022", "states": "CA,MD", "actions_taken": "1", "respondentName": "Bank"}
# What no schema can say: by the beginnings of operation ids, the refusals of what is valid. All
# else that is valid is accepted, or is not there (401, 403, 404, 409).
_READS_FILES = (
    "parseAFile|validateAFile|generateCheckDigits|validateUlis|computeRateSpreads|convert"
)
BEYOND_SCHEMAS = {
    # The bytes of a file are text, and are not empty.
    f"({_READS_FILES}|uploadAFile|matchTheColumns)": (
        "Invalid file format|is not UTF-8|not UTF-8: byte|neither UTF-8|Send the file as multipart"
    ),
    # They are a spreadsheet, or a LAR.
    "(convert|matchTheColumns)": (
        "save the spreadsheet as|No header row|No line of the file|The file is empty"
    ),
    # Names of fields are keys of an object, which OpenAPI 3.0 describes one by one: 110 of them.
    "(convert|matchTheColumns)(?#keys)": "There is no field ",
    # Names of members that no schema describes hold a NUL: what it does describe has a pattern.
    "addAWebhook|saveYourOwn|signA|verify|convert|matchTheColumns": "(JSON|part '.*') holds a NUL",
    # A line has formatting errors, each of which the answer lists.
    "(parseA|validateA)(Loan|TransmittalSheet)": "errorMessages",
    # The header has a text in Base64, which is UTF-8 and ends in .txt.
    "beginAResumableUpload": "Upload-Metadata must have the name|Invalid file format",
    # The server of these tests tells no length of a body without bytes.
    "addBytesToAnUpload": "Content-Length",
    # One parameter needs another one; the product of their values has a limit.
    "listTheEdits|getAnEdit": "A quarter needs its year",
    "aggregateLoans": "the values of the data filters combine",
    "computeFigures": "not-together|too-many-groups",
    # The data of the site: years with rules, weeks with rates, hosts.
    "compareWithTheRules": "There are no rules of|is a file of 2024|edits have not been run",
    "computeARateSpread": "There is no average prime offer rate",
    "proposeAChange(?#nul)": "(JSON|part '.*') holds a NUL",
    "proposeAChange": "has these values|wait for staff|There is no institution|cannot be proposed",
    "getTheRecord": "There is no institution",
    "withdrawA": "There is no proposal|already",
    "addAWebhook": "has a webhook with this address|has 5 webhooks|not a valid address|private",
    # Where a filing stands: the specification answers 400.
    "(start|create)A|beginA": "no longer available for filing|already exists",
    "uploadAFile|beginA": "not available for upload",
    "verify|signA": "is not ready to be (verified|signed)",
    ".*": "submission with ID: .* does not exist",
    # The first call with a key had another body.
    ".*(?#key)": "This Idempotency-Key was sent with another body",
}
accepted = schemathesis.openapi.from_dict(api_document())
accepted.app = served
accepted.config.generation.update(modes=[GenerationMode.POSITIVE])
accepted.config.phases.coverage.enabled = False


def complete(case: Case) -> None:
    """Choose at least one of the parameters of which one is needed, and years with data."""
    for group in case.operation.definition.raw.get(AT_LEAST_ONE_OF, ()):
        if not any((case.query or {}).get(name) for name in group):
            case.query[group[0]] = VALUES[group[0]]
    if "years" in (case.query or {}):
        case.query["years"] = VALUES["years"]
        case.query.pop("version", None)
    if "year" in (case.query or {}):
        case.query["year"] = 2024
    own = {"lei": LEI, "year": "2024", "sequenceNumber": str(1 + len(repr(case.query)) % 4)}
    for name in own.keys() & case.path_parameters:
        case.path_parameters[name] = own[name]


def require_acceptance(case: Case, headers: dict[str, str]) -> None:
    complete(case)
    answer = case.call(headers=headers)
    operation = case.operation.definition.raw["operationId"]
    beyond = answer.status_code >= 400 and any(
        re.match(operations, operation) and re.search(refusal, answer.text)
        for operations, refusal in BEYOND_SCHEMAS.items()
    )
    if not beyond:
        case.validate_response(answer, headers=headers, checks=[positive_data_acceptance])


@pytest.mark.usefixtures("one_connection")
@accepted.exclude(path_regex=OF_FILERS).parametrize()
@settings(max_examples=20)
def test_what_is_valid_is_accepted(case: Case) -> None:
    require_acceptance(case, PLAIN)


@pytest.mark.usefixtures("filed")
@accepted.include(path_regex=OF_FILERS).parametrize()
@settings(max_examples=20)
def test_what_is_valid_is_accepted_of_a_filer(case: Case) -> None:
    require_acceptance(case, of_filer())
