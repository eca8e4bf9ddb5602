"""The operations on filings and submissions, up to the upload."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema

from filing.api import serializers as shapes
from filing.api.openapi import LEI, refused
from filing.api.openapi.operations import (
    CLOSED,
    DISCARDED,
    IN_WORK,
    NO_INSTITUTION,
    NO_SUBMISSION,
    PAGE,
    TAG,
    operation,
)
from filing.errors import INVALID_FORMAT
from filing.files.openapi import IF_NONE_MATCH, UNCHANGED
from filing.lar.fields import ABOUT_LIMITS

start_filing = operation(
    "Start a filing",
    {
        200: shapes.FilingBody,
        400: refused(f"Filing {LEI}-2024 already exists", CLOSED, NO_INSTITUTION),
        403: refused("Institution is not permitted to do quarterly filing"),
    },
    takes_key=True,
)
get_filing = operation(
    "Get a filing",
    {
        200: shapes.FilingPage,
        400: refused(NO_INSTITUTION),
        404: refused(f"Filing for institution: {LEI} and period: 2024 does not exist"),
    },
    parameters=(PAGE,),
    description="`page=0` returns all submissions without `count`, `total` and `_links`.",
)
create_submission = operation(
    "Create a submission",
    {
        201: shapes.SubmissionBody,
        400: refused("filing with ID: 2024 does not exist", CLOSED, NO_INSTITUTION),
    },
    takes_key=True,
)
list_submissions = operation(
    "List the submissions of a filing",
    {
        200: shapes.SubmissionPage,
        400: refused(NO_INSTITUTION),
        404: refused(f"Filing for institution: {LEI} and period: 2024 does not exist"),
    },
    parameters=(PAGE,),
)
latest_submission = operation(
    "Get the latest submission",
    {
        200: shapes.SubmissionState,
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
        200: shapes.SubmissionState,
        304: UNCHANGED,
        400: refused(NO_INSTITUTION),
        404: refused(NO_SUBMISSION),
    },
    parameters=(IF_NONE_MATCH,),
)
discard = operation(
    "Discard a submission",
    {
        200: shapes.SubmissionState,
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
        202: shapes.SubmissionBody,
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
        200: shapes.InstitutionFilings,
        404: refused(f"Institution: {LEI} does not exist"),
    },
)
health = extend_schema(
    summary="Health", tags=[TAG], auth=[], responses={200: shapes.Health}, description="No sign-in."
)
