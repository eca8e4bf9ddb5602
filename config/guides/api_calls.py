"""The calls of the filing API, its errors and what to do about each, from the API document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from config.openapi.reference_page import reference

PREFIX = "/v2/filing/"
_QUARTER = "OfAQuarter"
FIRST_ERROR = 400


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of the API: its id, method and path, what it does, its errors' messages.

    errors: the messages of the API document by status.
    """

    name: str
    method: str
    path: str
    summary: str
    errors: dict[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Error:
    """An error of the API: its status, a message and what the caller does about it."""

    status: int
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do about the errors of a status whose message begins with a pattern.

    message: how the error is described where the API document has none of its messages.
    """

    status: int
    pattern: str
    text: str
    message: str = ""


ADVICE = (
    Advice(
        400, r"Filing \S+ already exists", "The filing was started before. Create a submission."
    ),
    Advice(
        400,
        "The provided year or quarter is no longer available for filing",
        "Do not repeat the call. The `detail` says when the period is open.",
    ),
    Advice(
        400,
        r"institution with ID: \S+ does not exist",
        "The institution is not in the panel of the year. Contact the help desk.",
    ),
    Advice(400, r"filing with ID: \S+ does not exist", "Start the filing first."),
    Advice(
        400,
        r"submission with ID: \S+ does not exist",
        "Check the sequence number: the list of submissions has all of them.",
    ),
    Advice(
        400,
        r"Submission \S+ not available for upload",
        "The submission has received a file, or does not exist. Get its status; for another file, "
        "create a new submission.",
    ),
    Advice(
        400,
        "Invalid file format",
        "Correct the file as the `detail` says, and upload it to the same submission.",
    ),
    Advice(400, "The page .* is not a whole number", "Send a page number from 1 on."),
    Advice(
        400,
        r"Submission \S+ is not ready to be verified",
        "Get the status. Edits are verified when processing has finished without syntactical or "
        "validity edits, until you sign.",
    ),
    Advice(
        400,
        r"Submission \S+ is not ready to be signed",
        "Get the status. If it is signed already, get its receipt; else verify the edits first.",
    ),
    Advice(400, "Illegal argument: signed = false", 'Send `{"signed": true}`.'),
    Advice(
        400,
        "",
        "The message says what is wrong with the call. Correct it before you repeat it.",
        "Any other message",
    ),
    Advice(
        401,
        "Authorization Token could not be verified",
        "The token is missing, expired or revoked. Get a new one and repeat the call.",
    ),
    Advice(
        403,
        "The token does not carry this LEI",
        "Use a token for this institution. If yours should be for it, contact the help desk.",
    ),
    Advice(
        403,
        "Institution is not permitted to do quarterly filing",
        "File annually: the institution is not a quarterly filer of this year.",
    ),
    Advice(
        403,
        "",
        "The message names the reason, such as a site where another person must sign.",
        "Any other message",
    ),
    Advice(404, r"Filing for institution: \S+ and period: \S+ does not exist", "Start the filing."),
    Advice(404, "There is no submission for", "Create a submission."),
    Advice(
        404,
        r"submission with ID: \S+ does not exist",
        "Check the sequence number: the list of submissions has all of them.",
    ),
    Advice(
        404,
        r"Submission \S+ is not signed",
        "Sign it first. If it is signed, the receipt is issued soon: try again in a minute.",
    ),
    Advice(404, r"Submission \S+ not available", "Check the sequence number."),
    Advice(404, "Transmittal Sheet not found", "Upload a file that can be read first."),
    Advice(
        404,
        r"Institution: \S+ does not exist",
        "The institution is not in the panel of the year. Contact the help desk.",
    ),
    Advice(
        404,
        "",
        "Check the address. A resumable upload that was complete, ended or unused is gone: begin a "
        "new one.",
        "Any other message",
    ),
    Advice(405, "", "Use a method that `Allow` names.", "Method not allowed"),
    Advice(
        409,
        "",
        "With `Retry-After`: the first call with this key is still in work; wait and repeat it. "
        "For a resumable upload: the offset is wrong; ask for it with `HEAD`. For verifying and "
        "signing: the message says what is in the way, such as a file of another institution.",
        "In conflict with another call",
    ),
    Advice(411, "", "Send `Content-Length`.", "The length of the body is missing"),
    Advice(
        412,
        "",
        "Send `Tus-Resumable: 1.0.0` with every call of a resumable upload.",
        "The version of the protocol is missing",
    ),
    Advice(
        413,
        "The file is larger than",
        "Check that it is the right file. The submission still waits for a file.",
    ),
    Advice(
        413, "", "Send no more bytes than `Upload-Length` says.", "More bytes than were announced"
    ),
    Advice(415, "", "Send the content type that the call takes.", "Another content type"),
    Advice(
        422,
        "",
        "This `Idempotency-Key` was sent with another body. Choose a new key for a new call.",
        "The key belongs to another call",
    ),
    Advice(
        423,
        "",
        "Another call is adding to this upload. Wait as `Retry-After` says, then ask for its "
        "offset.",
        "The upload is in use",
    ),
    Advice(
        429,
        "Too many requests",
        "Wait as many seconds as `Retry-After` says, then repeat the call.",
        "Too many requests.",
    ),
    Advice(
        460,
        "",
        "The part was damaged on its way and not kept: send it again.",
        "The checksum does not match",
    ),
    Advice(
        500,
        "The service could not answer this request",
        "Get the status before you repeat a call. If it happens again, give the `requestId` to the "
        "help desk.",
        "The service could not answer this request. It has been recorded.",
    ),
    Advice(
        503,
        "Too many programs follow submissions now",
        "Wait as many seconds as `Retry-After` says, or get the status at intervals.",
    ),
    Advice(
        503,
        "",
        "Wait as many seconds as `Retry-After` says. After a call that changes something, get the "
        "status before you repeat it without an `Idempotency-Key`.",
        "The service cannot do this at the moment",
    ),
)


@cache
def calls() -> dict[str, Call]:
    """Return the calls of the filing API by their ids."""
    found = (
        _call(operation) for group in reference()["groups"] for operation in group["operations"]
    )
    return {call.name: call for call in found if call.path.startswith(PREFIX)}


def annual(names: list[str]) -> list[Call]:
    """Return the calls with these ids that this site has: a test environment has no signing."""
    return [calls()[name] for name in names if name in calls()]


def short(path: str) -> str:
    """Return a path of the filing API without what all calls of a filing begin with."""
    whole = path.replace("{sequenceNumber}", "{n}")
    for start in ("/submissions", "/filings"):
        _, found, rest = whole.partition(start)
        if found and path.startswith(PREFIX):
            return f"…{found}{rest}"
    return whole


def quarterly(call: Call) -> Call | None:
    """Return the same call of a quarter."""
    return calls().get(f"{call.name}{_QUARTER}")


def errors() -> list[Error]:
    """Return the errors of the filing API in the order of the advice, each message once."""
    messages = {
        (status, message)
        for call in calls().values()
        for status, texts in call.errors.items()
        for message in texts
    }
    return [
        Error(advice.status, advice.message or _example(advice, messages), advice.text)
        for advice in ADVICE
    ]


def advice(status: int, message: str) -> Advice | None:
    """Return the first advice for an error."""
    return next(
        (each for each in ADVICE if each.status == status and re.match(each.pattern, message)),
        None,
    )


def _example(advice: Advice, messages: set[tuple[int, str]]) -> str:
    """Return the beginning of a message, as the API document has it."""
    for status, message in sorted(messages):
        found = re.match(advice.pattern, message)
        if status == advice.status and found:
            return found[0]
    return advice.pattern


def _call(operation: dict[str, Any]) -> Call:
    errors = {
        int(answer["status"]): tuple(answer["description"].split(" / "))
        for answer in operation["answers"]
        if int(answer["status"]) >= FIRST_ERROR
    }
    return Call(
        operation["id"], operation["method"], operation["path"], operation["summary"], errors
    )
