"""The calls of the filing API, its errors and what to do about each, from the API document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from config.openapi.views import reference_context

PREFIX = "/v2/filing/"
_QUARTER = "OfAQuarter"
FIRST_ERROR = 400


@dataclass(frozen=True, slots=True)
class FilingCall:
    """An operation of the API: its id, method and path, what it does, its errors' messages.

    errors: the messages of the API document by status.
    """

    name: str
    method: str
    path: str
    summary: str
    errors: dict[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ApiError:
    """An error of the API: its status, a message and what the caller does about it."""

    status: int
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class ErrorAdvice:
    """What to do about the errors of a status whose message begins with a pattern.

    message: how the error is described where the API document has none of its messages.
    """

    status: int
    pattern: str
    text: str
    message: str = ""


ADVICE = (
    ErrorAdvice(
        400, r"Filing \S+ already exists", "The filing was started before. Create a submission."
    ),
    ErrorAdvice(
        400,
        "The provided year or quarter is no longer available for filing",
        "Do not repeat the call. The `detail` says when the period is open.",
    ),
    ErrorAdvice(
        400,
        r"institution with ID: \S+ does not exist",
        "The institution is not in the panel of the year. Contact the help desk.",
    ),
    ErrorAdvice(400, r"filing with ID: \S+ does not exist", "Start the filing first."),
    ErrorAdvice(
        400,
        r"submission with ID: \S+ does not exist",
        "Check the sequence number: the list of submissions has all of them.",
    ),
    ErrorAdvice(
        400,
        r"Submission \S+ not available for upload",
        "The submission has received a file, or does not exist. Get its status; for another file, "
        "create a new submission.",
    ),
    ErrorAdvice(
        400,
        "Invalid file format",
        "Correct the file as the `detail` says, and upload it to the same submission.",
    ),
    ErrorAdvice(400, "The page .* is not a whole number", "Send a page number from 1 on."),
    ErrorAdvice(
        400,
        r"Submission \S+ is not ready to be verified",
        "Get the status. Edits are verified when processing has finished without syntactical or "
        "validity edits, until you sign.",
    ),
    ErrorAdvice(
        400,
        r"Submission \S+ is not ready to be signed",
        "Get the status. If it is signed already, get its receipt; else verify the edits first.",
    ),
    ErrorAdvice(400, "Illegal argument: signed = false", 'Send `{"signed": true}`.'),
    ErrorAdvice(
        400,
        "",
        "The message says what is wrong with the call. Correct it before you repeat it.",
        "Any other message",
    ),
    ErrorAdvice(
        401,
        "Authorization Token could not be verified",
        "The token is missing, expired or revoked. Get a new one and repeat the call.",
    ),
    ErrorAdvice(
        403,
        "The token does not carry this LEI",
        "Use a token for this institution. If yours should be for it, contact the help desk.",
    ),
    ErrorAdvice(
        403,
        "Institution is not permitted to do quarterly filing",
        "File annually: the institution is not a quarterly filer of this year.",
    ),
    ErrorAdvice(
        403,
        "",
        "The message names the reason, such as a site where another person must sign.",
        "Any other message",
    ),
    ErrorAdvice(
        404, r"Filing for institution: \S+ and period: \S+ does not exist", "Start the filing."
    ),
    ErrorAdvice(404, "There is no submission for", "Create a submission."),
    ErrorAdvice(
        404,
        r"submission with ID: \S+ does not exist",
        "Check the sequence number: the list of submissions has all of them.",
    ),
    ErrorAdvice(
        404,
        r"Submission \S+ is not signed",
        "Sign it first. If it is signed, the receipt is issued soon: try again in a minute.",
    ),
    ErrorAdvice(404, r"Submission \S+ not available", "Check the sequence number."),
    ErrorAdvice(404, "Transmittal Sheet not found", "Upload a file that can be read first."),
    ErrorAdvice(
        404,
        r"Institution: \S+ does not exist",
        "The institution is not in the panel of the year. Contact the help desk.",
    ),
    ErrorAdvice(
        404,
        "",
        "Check the address. A resumable upload that was complete, ended or unused is gone: begin a "
        "new one.",
        "Any other message",
    ),
    ErrorAdvice(405, "", "Use a method that `Allow` names.", "Method not allowed"),
    ErrorAdvice(
        408,
        "",
        "Send it again, with the same key if it had one. A submission that the file was for still "
        "waits for it.",
        "The body stopped arriving",
    ),
    ErrorAdvice(
        409,
        "",
        "With `Retry-After`: the first call with this key is still in work; wait and repeat it. "
        "For a resumable upload: the offset is wrong; ask for it with `HEAD`. For verifying and "
        "signing: the message says what is in the way, such as a file of another institution.",
        "In conflict with another call",
    ),
    ErrorAdvice(411, "", "Send `Content-Length`.", "The length of the body is missing"),
    ErrorAdvice(
        412,
        "",
        "Send `Tus-Resumable: 1.0.0` with every call of a resumable upload.",
        "The version of the protocol is missing",
    ),
    ErrorAdvice(
        413,
        "The file is larger than",
        "Check that it is the right file. The submission still waits for a file.",
    ),
    ErrorAdvice(
        413, "", "Send no more bytes than `Upload-Length` says.", "More bytes than were announced"
    ),
    ErrorAdvice(415, "", "Send the content type that the call takes.", "Another content type"),
    ErrorAdvice(
        422,
        "",
        "This `Idempotency-Key` was sent with another body. Choose a new key for a new call.",
        "The key belongs to another call",
    ),
    ErrorAdvice(
        423,
        "",
        "Another call is adding to this upload. Wait as `Retry-After` says, then ask for its "
        "offset.",
        "The upload is in use",
    ),
    ErrorAdvice(
        429,
        "Too many requests",
        "Wait as many seconds as `Retry-After` says, then repeat the call.",
        "Too many requests.",
    ),
    ErrorAdvice(
        460,
        "",
        "The part was damaged on its way and not kept: send it again.",
        "The checksum does not match",
    ),
    ErrorAdvice(
        500,
        "The service could not answer this request",
        "Get the status before you repeat a call. If it happens again, give the `requestId` to the "
        "help desk.",
        "The service could not answer this request. It has been recorded.",
    ),
    ErrorAdvice(
        503,
        "Too many programs follow submissions now",
        "Wait as many seconds as `Retry-After` says, or get the status at intervals.",
    ),
    ErrorAdvice(
        503,
        "",
        "Wait as many seconds as `Retry-After` says. After a call that changes something, get the "
        "status before you repeat it without an `Idempotency-Key`.",
        "The service cannot do this at the moment",
    ),
)


@cache
def filing_calls() -> dict[str, FilingCall]:
    """Return the calls of the filing API by their ids."""
    calls = map(_call, list_operations())
    return {call.name: call for call in calls if call.path.startswith(PREFIX)}


def list_operations() -> Iterator[dict[str, Any]]:
    """Yield the operations of the API document."""
    for group in reference_context()["groups"]:
        yield from group["operations"]


def annual_calls(names: Iterable[str]) -> list[FilingCall]:
    """Return the calls with these ids that this site has: a test environment has no signing."""
    return [filing_calls()[name] for name in names if name in filing_calls()]


def shorten_path(path: str) -> str:
    """Return a path of the filing API without what all calls of a filing begin with."""
    whole = path.replace("{sequenceNumber}", "{n}")
    for start in ("/submissions", "/filings"):
        before, _, rest = whole.partition(start)
        if before != whole and path.startswith(PREFIX):
            return f"…{start}{rest}"
    return whole


def quarterly_call(call: FilingCall) -> FilingCall | None:
    """Return the same call of a quarter."""
    return filing_calls().get(f"{call.name}{_QUARTER}")


def filing_errors() -> list[ApiError]:
    """Return the errors of the filing API in the order of the advice, each message once."""
    messages = {
        (status, message)
        for call in filing_calls().values()
        for status, texts in call.errors.items()
        for message in texts
    }
    return [
        ApiError(advice.status, advice.message or _example(advice, messages), advice.text)
        for advice in ADVICE
    ]


def _example(advice: ErrorAdvice, messages: set[tuple[int, str]]) -> str:
    """Return the beginning of a message, as the API document has it."""
    for status, message in sorted(messages):
        match = re.match(advice.pattern, message)
        if status == advice.status and match:
            return match[0]
    return advice.pattern


def _call(operation: dict[str, Any]) -> FilingCall:
    errors = {
        int(answer["status"]): tuple(answer["description"].split(" / "))
        for answer in operation["answers"]
        if int(answer["status"]) >= FIRST_ERROR
    }
    return FilingCall(
        operation["id"], operation["method"], operation["path"], operation["summary"], errors
    )
