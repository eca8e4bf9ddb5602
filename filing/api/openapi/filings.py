"""The operations on periods, filings, submissions and uploads."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from filing import idempotency
from filing.api.openapi import (
    CLOSED,
    DISCARDED,
    IF_NONE_MATCH,
    IN_WORK,
    LEI,
    NO_INSTITUTION,
    NO_SUBMISSION,
    PAGE,
    TAG,
    UNCHANGED,
    operation,
    refused,
)
from filing.api.serializers.filings import (
    FilingBody,
    FilingPage,
    Health,
    InstitutionFilings,
    RightsOfCaller,
    SubmissionBody,
    SubmissionPage,
    SubmissionState,
)
from filing.api.serializers.periods import FilingPeriodList, ObligationList
from filing.api.value_schemas import BYTES, text_schema
from filing.errors import INVALID_FORMAT
from filing.lar.fields import ABOUT_LIMITS
from filing.submissions import tus

start_filing = operation(
    "Start a filing",
    {
        200: FilingBody,
        400: refused(f"Filing {LEI}-2024 already exists", CLOSED, NO_INSTITUTION),
        403: refused("Institution is not permitted to do quarterly filing"),
    },
    takes_key=True,
)
get_filing = operation(
    "Get a filing",
    {
        200: FilingPage,
        400: refused(NO_INSTITUTION),
        404: refused(f"Filing for institution: {LEI} and period: 2024 does not exist"),
    },
    parameters=(PAGE,),
    description="`page=0` returns all submissions without `count`, `total` and `_links`.",
)
get_rights = operation(
    "Get what you may do",
    {200: RightsOfCaller},
    description=(
        "What the owner of the token may do for the institution in this period: their roles, at "
        "most those of an organization that acts for the institution, and at most what a personal "
        "token for preparing only may. A program asks before it uploads a file that it is to sign."
    ),
)
create_submission = operation(
    "Create a submission",
    {
        201: SubmissionBody,
        400: refused("filing with ID: 2024 does not exist", CLOSED, NO_INSTITUTION),
    },
    takes_key=True,
)
list_submissions = operation(
    "List the submissions of a filing",
    {
        200: SubmissionPage,
        400: refused(NO_INSTITUTION),
        404: refused(f"Filing for institution: {LEI} and period: 2024 does not exist"),
    },
    parameters=(PAGE,),
)
latest_submission = operation(
    "Get the latest submission",
    {
        200: SubmissionState,
        304: UNCHANGED,
        400: refused(NO_INSTITUTION),
        404: refused(f"There is no submission for {LEI} and period 2024"),
    },
    parameters=(IF_NONE_MATCH,),
    description="The response has an ETag and, while the file is being checked, Retry-After.",
)
progress = operation(
    "Follow a submission",
    {
        (200, "text/event-stream"): OpenApiResponse(
            OpenApiTypes.STR,
            description="Server-sent events `state`, each with the submission as JSON.",
        ),
        204: OpenApiResponse(description="Nothing changes after the event of `Last-Event-ID`."),
        400: refused(NO_INSTITUTION),
        404: refused(NO_SUBMISSION),
        503: refused("Too many programs follow submissions now."),
    },
    description=(
        "The first event has the state now, the next ones each change of status or progress, at "
        "most two a second; the last one comes when processing has finished. A comment every 15 "
        "seconds keeps the connection open; after 10 minutes it ends, and a new one goes on. "
        "Reading the submission at intervals tells the same."
    ),
)
get_submission = operation(
    "Get a submission",
    {
        200: SubmissionState,
        304: UNCHANGED,
        400: refused(NO_INSTITUTION),
        404: refused(NO_SUBMISSION),
    },
    parameters=(IF_NONE_MATCH,),
)
discard = operation(
    "Discard a submission",
    {
        200: SubmissionState,
        400: refused(NO_INSTITUTION),
        404: refused(NO_SUBMISSION),
        409: refused(
            f"Submission {LEI}-2024-3 is signed, and what was filed is not discarded. To correct "
            "it, file again."
        ),
    },
    description=(
        "A submission that is not signed is discarded: its file is not checked further, and it is "
        "not uploaded to, verified or signed again, which answers 409. Its status and history "
        "stay. Discarding it again changes nothing."
    ),
)
upload = operation(
    "Upload a file",
    {
        202: SubmissionBody,
        400: refused(
            f"Submission {LEI}-2024-3 not available for upload",
            INVALID_FORMAT,
            CLOSED,
        ),
        409: refused(IN_WORK, DISCARDED),
        413: refused("The file is larger than 2147483648 bytes, the most taken here."),
    },
    request={
        "multipart/form-data": {
            "type": "object",
            "required": ["file"],
            "properties": {"file": {"type": "string", "format": "binary"}},
        }
    },
    description=(
        "One file per submission: pipe-delimited UTF-8 text with a name that ends in `.txt`. If "
        f"the message is `{INVALID_FORMAT}`, `detail` gives the reason. "
        f"{ABOUT_LIMITS}"
    ),
    takes_key=True,
)
institution = operation(
    "Get an institution with its filings of a year",
    {
        200: InstitutionFilings,
        404: refused(f"Institution: {LEI} does not exist"),
    },
)
health = extend_schema(
    summary="Health", tags=[TAG], auth=[], responses={200: Health}, description="No sign-in."
)


_NO_UPLOAD = f"Submission {LEI}-2024-3 has no such upload. It may have ended or expired."
_VERSION_REFUSED = refused("The header Tus-Resumable is missing; send 1.0.0.")
_LOCKED = refused("Another request is adding to this upload.")
_MOVED_ON = "Another request has continued this upload. Ask for its offset with HEAD."


def _header(name: str, description: str, kind: Any = str, **more: Any) -> OpenApiParameter:
    more = {"required": True, **more}
    return OpenApiParameter(name, kind, OpenApiParameter.HEADER, description=description, **more)


def _answered(name: str, description: str, kind: Any = int) -> OpenApiParameter:
    return OpenApiParameter(
        name, kind, OpenApiParameter.HEADER, description=description, response=True
    )


_VERSION = _header("Tus-Resumable", "The version of the protocol.", enum=["1.0.0"])
_OFFSET = _answered("Upload-Offset", "Bytes of the file that are stored.")

begin = operation(
    "Begin a resumable upload",
    {
        201: OpenApiResponse(description="The upload is open. `Location` is its address."),
        400: refused(
            f"Submission {LEI}-2024-3 not available for upload",
            INVALID_FORMAT,
            "The header Upload-Length must be a number of bytes.",
            CLOSED,
            NO_INSTITUTION,
        ),
        404: refused(NO_SUBMISSION),
        409: refused(
            f"Submission {LEI}-2024-3 has an open upload. Continue it, or end it with DELETE.",
            idempotency.IN_WORK,
        ),
        412: _VERSION_REFUSED,
        413: refused("The file is larger than 2147483648 bytes, the most taken here."),
    },
    parameters=(
        _VERSION,
        _header("Upload-Length", "Bytes of the file.", BYTES),
        _header(
            "Upload-Metadata",
            "`filename`, a space, and the name of the file in Base64.",
            text_schema(f"(?:[^,]*,)*filename {tus.BASE64}(?:,[^,]*)*"),
        ),
        _answered("Location", "The address of the upload.", str),
    ),
    description=(
        "For large files and bad lines: the file is sent in as many requests as it takes, by the "
        "[tus protocol 1.0](https://tus.io/protocols/resumable-upload) with the extensions "
        "creation, checksum and termination. Clients for it exist in many languages. An upload "
        "that is not continued for 24 hours ends, and the submission waits for a file again."
    ),
    takes_key=True,
)
offset = operation(
    "Get the offset of an upload",
    {
        200: OpenApiResponse(description="The upload is open, or complete."),
        400: refused(NO_INSTITUTION),
        404: refused(_NO_UPLOAD),
        412: _VERSION_REFUSED,
        423: _LOCKED,
    },
    parameters=(
        _VERSION,
        _OFFSET,
        _answered("Upload-Length", "Bytes of the file."),
    ),
    description="After a lost line: send the rest of the file from this offset on.",
)
append = operation(
    "Add bytes to an upload",
    {
        204: OpenApiResponse(
            description="The bytes are stored; with the last ones, the file is received."
        ),
        400: refused(
            INVALID_FORMAT,
            "The header Upload-Offset must be a number of bytes.",
            NO_INSTITUTION,
        ),
        404: refused(_NO_UPLOAD),
        409: refused(_MOVED_ON),
        411: refused("Send the number of bytes in the header Content-Length."),
        412: _VERSION_REFUSED,
        413: refused("The upload has 1000 of 5000 bytes; 4001 more are too many."),
        415: refused("Send the bytes as application/offset+octet-stream."),
        423: _LOCKED,
        "460": refused("The bytes do not have the SHA-256 in Upload-Checksum."),
    },
    request={"application/offset+octet-stream": OpenApiTypes.BINARY},
    parameters=(
        _VERSION,
        _header("Upload-Offset", "Where the bytes begin: as many as are stored.", BYTES),
        _header(
            "Upload-Checksum",
            "`sha256`, a space, and the SHA-256 of the body in Base64. Bytes with another one are "
            "thrown away.",
            text_schema(f"{tus.CHECKSUM} {tus.SHA256_IN_BASE64}"),
            required=False,
        ),
        _OFFSET,
    ),
    description=(
        "Without a checksum, bytes that arrived before a line was lost are kept. Bytes that cannot "
        "be of a LAR end the upload."
    ),
)
end = operation(
    "End an upload",
    {
        204: OpenApiResponse(description="Its parts are removed; the submission waits for a file."),
        400: refused(NO_INSTITUTION),
        404: refused(_NO_UPLOAD),
        409: refused("The upload is complete, and its file was received."),
        412: _VERSION_REFUSED,
    },
    parameters=(_VERSION,),
)


_CALENDAR = (200, "text/calendar")
_NO_INSTITUTION = refused(f"Institution: {LEI} does not exist")

list_periods = extend_schema(
    summary="List the filing periods",
    tags=[TAG],
    auth=[],
    parameters=[IF_NONE_MATCH],
    responses={200: FilingPeriodList, 304: UNCHANGED},
    description=(
        "All filing periods with their days, and the data years with the rules that check their "
        "files, newest first. No sign-in. A year in stage `checks` has no filing periods yet."
    ),
)
periods_calendar = extend_schema(
    summary="Get the filing deadlines as a calendar",
    tags=[TAG],
    auth=[],
    parameters=[IF_NONE_MATCH],
    responses={
        _CALENDAR: OpenApiResponse(
            OpenApiTypes.STR, description="iCalendar (RFC 5545): an event for each deadline."
        ),
        304: UNCHANGED,
    },
    description="The deadlines of all filing periods. No sign-in.",
)
list_obligations = operation(
    "List the filings that an institution owes",
    {200: ObligationList, 304: UNCHANGED, 404: _NO_INSTITUTION},
    parameters=(IF_NONE_MATCH,),
    description=(
        "The periods of the years in whose panel the institution is, quarters only for a quarterly "
        "filer, with the status of each filing and the receipt of what counts. What is not "
        "required is listed only once it is filed. Newest first."
    ),
)
obligations_calendar = operation(
    "Get the filings that an institution owes as a calendar",
    {
        _CALENDAR: OpenApiResponse(
            OpenApiTypes.STR,
            description="iCalendar (RFC 5545): an event for each filing, with its status.",
        ),
        304: UNCHANGED,
        404: _NO_INSTITUTION,
    },
    parameters=(IF_NONE_MATCH,),
    description="Canceled filings are left out, and those that are not required, unless filed.",
)
