"""The OpenAPI descriptions of the filing API: one decorator an operation, with its refusals."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from filing import serializers as shapes
from filing.files.openapi import IF_NONE_MATCH, UNCHANGED
from filing.lar import foreign
from filing.lar.fields import ABOUT_LIMITS

TAG = "Filing"
_LEI = "529900EXAMPLELEI0001"
_PATH = f"/institutions/{_LEI}/filings/2024"
REQUEST_ID = "7F3K-9QXM-2BTD"

_PAGE = OpenApiParameter(
    "page", int, description="Which page of 20; 1 where it is left out. One outside is empty."
)
_DETAIL = OpenApiParameter(
    "detail", bool, description="`true` adds the columns rowNumber and fields."
)


def error(status: int, message: str, path: str) -> dict[str, Any]:
    """Return an example of an error body."""
    return {"httpStatus": status, "message": message, "path": path, "requestId": REQUEST_ID}


def refused(status: int, *messages: str, path: str = _PATH) -> OpenApiResponse:
    """Return the description of a refusal, with an example for each of its messages."""
    return OpenApiResponse(
        shapes.ErrorBody,
        description=" / ".join(messages),
        examples=[
            OpenApiExample(
                message[:60],
                value=error(status, message, path),
                response_only=True,
                status_codes=[str(status)],
            )
            for message in messages
        ],
    )


_UNAUTHORISED = refused(401, "Authorization Token could not be verified", path="")
_FORBIDDEN = refused(403, "The token does not carry this LEI", path="")
_CLOSED = (
    "The provided year or quarter is no longer available for filing. "
    "The filing period 2024 closed on December 31, 2027."
)
_NO_INSTITUTION = f"institution with ID: {_LEI} does not exist"
_NO_SUBMISSION = f"submission with ID: {_LEI}-2024-3 does not exist"
_STATUS_13 = {
    "code": 13,
    "message": "Your data has macro edits that need to be reviewed.",
    "description": "The filing cannot go on until the edits are verified.",
}
_SUBMISSION = {
    "id": {"lei": _LEI, "period": "2024", "sequenceNumber": 3},
    "status": {
        "code": 1,
        "message": "No data has been uploaded yet.",
        "description": "The filing period is open and a file can be uploaded.",
    },
    "start": 1741000100000,
    "end": 0,
    "fileName": "",
    "receipt": "",
}
_STATE = {
    **_SUBMISSION,
    "status": _STATUS_13,
    "fileName": "bank_2024.txt",
    "qualityVerified": False,
    "macroVerified": False,
    "qualityExists": True,
    "macroExists": True,
    "signerUsername": None,
    "progress": None,
}
_FILING = {
    "filing": {
        "period": "2024",
        "lei": _LEI,
        "status": {"code": 2, "message": "in-progress"},
        "filingRequired": True,
        "start": 1741000000000,
        "end": 0,
    },
    "submissions": [],
}
_LINKS = {
    "self": "?page=1",
    "first": "?page=1",
    "prev": "?page=1",
    "next": "?page=1",
    "last": "?page=1",
}


def answered(shape: Any, example: Any, text: str = "") -> OpenApiResponse:
    """Return the description of an answer, with an example."""
    return OpenApiResponse(
        shape, description=text, examples=[OpenApiExample("Example", value=example)]
    )


def _operation(
    summary: str,
    responses: dict[int, Any],
    *,
    request: Any = None,
    parameters: tuple[OpenApiParameter, ...] = (),
    description: str = "",
) -> Any:
    return extend_schema(
        summary=summary,
        description=description or None,
        tags=[TAG],
        request=request,
        parameters=list(parameters),
        responses={**responses, 401: _UNAUTHORISED, 403: responses.get(403, _FORBIDDEN)},
    )


start_filing = _operation(
    "Start a filing",
    {
        200: answered(shapes.FilingBody, _FILING),
        400: refused(400, f"Filing {_LEI}-2024 already exists", _CLOSED, _NO_INSTITUTION),
        403: refused(403, "Institution is not permitted to do quarterly filing"),
    },
)
get_filing = _operation(
    "Get a filing",
    {
        200: answered(shapes.FilingPage, _FILING),
        400: refused(400, _NO_INSTITUTION),
        404: refused(404, f"Filing for institution: {_LEI} and period: 2024 does not exist"),
    },
    parameters=(_PAGE,),
    description="`page=0` returns all submissions, without `count`, `total` and `_links`.",
)
create_submission = _operation(
    "Create a submission",
    {
        201: answered(shapes.SubmissionBody, _SUBMISSION),
        400: refused(400, "filing with ID: 2024 does not exist", _CLOSED, _NO_INSTITUTION),
    },
)
list_submissions = _operation(
    "List the submissions of a filing",
    {
        200: answered(
            shapes.SubmissionPage,
            {
                "submissions": [_SUBMISSION],
                "count": 1,
                "total": 1,
                "_links": {"href": f"{_PATH}/submissions{{rel}}", **_LINKS},
            },
        ),
        400: refused(400, _NO_INSTITUTION),
        404: refused(404, f"Filing for institution: {_LEI} and period: 2024 does not exist"),
    },
    parameters=(_PAGE,),
)
latest_submission = _operation(
    "Get the latest submission",
    {
        200: answered(shapes.SubmissionState, _STATE),
        304: UNCHANGED,
        400: refused(400, _NO_INSTITUTION),
        404: refused(404, f"There is no submission for {_LEI} and period 2024"),
    },
    parameters=(IF_NONE_MATCH,),
    description="Answers an ETag, and Retry-After while a worker is busy with the file.",
)
get_submission = _operation(
    "Get a submission",
    {
        200: answered(shapes.SubmissionState, _STATE),
        304: UNCHANGED,
        400: refused(400, _NO_INSTITUTION),
        404: refused(404, _NO_SUBMISSION),
    },
    parameters=(IF_NONE_MATCH,),
)
upload = _operation(
    "Upload a file",
    {
        202: answered(shapes.SubmissionBody, {**_SUBMISSION, "status": {"code": 3}}),
        400: refused(
            400,
            f"Submission {_LEI}-2024-3 not available for upload",
            f"Invalid file format: {foreign.EMPTY}",
            f"Invalid file format: the file is an Excel workbook. {foreign.SAVE_SPREADSHEET}",
            'Invalid file format: the name "lar.csv" does not end in .txt; upload pipe-delimited '
            "UTF-8 text with a name that ends in .txt.",
            _CLOSED,
            path=f"{_PATH}/submissions/3",
        ),
        413: refused(413, "The file is larger than 2147483648 bytes, the most taken here."),
    },
    request={
        "multipart/form-data": {
            "type": "object",
            "required": ["file"],
            "properties": {"file": {"type": "string", "format": "binary"}},
        }
    },
    description=(
        "One file a submission: pipe-delimited UTF-8 text with a name ending in `.txt`. A message "
        "that begins with `Invalid file format` says the reason behind it. "
        f"{ABOUT_LIMITS}"
    ),
)
parse_errors = _operation(
    "View format errors",
    {
        200: answered(
            shapes.ParseErrors,
            {
                "transmittalSheetErrors": [],
                "larErrors": [
                    {
                        "rowNumber": 17,
                        "estimatedULI": f"{_LEI}12345678901234567890AB38",
                        "errorMessages": [
                            {
                                "fieldName": "Loan Type",
                                "inputValue": "abc",
                                "validValues": "Integer: 1, 2, 3, 4",
                            }
                        ],
                    }
                ],
                "count": 1,
                "total": 1,
                "status": {"code": 5},
                "_links": {"href": f"{_PATH}/submissions/3/parseErrors{{rel}}", **_LINKS},
            },
        ),
        400: refused(400, _NO_SUBMISSION, "The page 'x' is not a whole number."),
    },
    parameters=(_PAGE,),
    description=(
        "Where one cause is behind them all, such as commas in place of pipes, the description of "
        f"the status says so at its end. {ABOUT_LIMITS}"
    ),
)
parse_errors_csv = _operation(
    "Download format errors",
    {
        200: OpenApiResponse(OpenApiTypes.STR, description="Pipe-delimited, one line a value."),
        400: refused(400, _NO_SUBMISSION),
    },
)
edits = _operation(
    "View all edits",
    {
        200: answered(
            shapes.EditSummary,
            {
                "syntactical": {"edits": []},
                "validity": {"edits": []},
                "quality": {"edits": [], "verified": False},
                "macro": {
                    "edits": [
                        {
                            "edit": "Q637",
                            "description": "At most 15 percent of the rows ...",
                            "transmittalSheet": False,
                            "total": 1,
                        }
                    ],
                    "verified": False,
                },
                "status": {**_STATUS_13, "qualityVerified": False, "macroVerified": False},
            },
        ),
        400: refused(400, _NO_INSTITUTION),
        404: refused(404, _NO_SUBMISSION),
    },
)
edit_detail = _operation(
    "View the records an edit found",
    {
        200: answered(
            shapes.EditPage,
            {
                "edit": "Q631",
                "detail": "",
                "rows": [
                    {
                        "id": f"{_LEI}12345678901234567890AB38",
                        "fields": [
                            {"name": "Loan Type", "value": "3"},
                            {"name": "Total Units", "value": "6"},
                        ],
                    }
                ],
                "count": 1,
                "total": 1,
                "_links": {"href": f"{_PATH}/submissions/3/edits/Q631{{rel}}", **_LINKS},
            },
        ),
        400: refused(400, _NO_INSTITUTION, "The page 'x' is not a whole number."),
        404: refused(404, _NO_SUBMISSION),
    },
    parameters=(_PAGE,),
)
edits_csv = _operation(
    "Download all edits",
    {
        200: OpenApiResponse(OpenApiTypes.STR, description="One line a record and edit."),
        400: refused(400, _NO_INSTITUTION),
        404: refused(404, _NO_SUBMISSION),
    },
    parameters=(_DETAIL,),
)
edit_csv = _operation(
    "Download the records an edit found",
    {
        200: OpenApiResponse(
            OpenApiTypes.STR,
            description=(
                "One line a record: editType, editId, ULI, editDescription, rowNumber, fields. "
                "Only the header for an edit that found nothing."
            ),
        ),
        400: refused(400, _NO_INSTITUTION),
        404: refused(404, _NO_SUBMISSION),
    },
)


def _verify(kind: str) -> Any:
    return _operation(
        f"Verify {kind} edits",
        {
            200: answered(shapes.Verification, {"verified": True, "status": _STATUS_13}),
            400: refused(
                400, f"Submission {_LEI}-2024-3 is not ready to be verified", _NO_SUBMISSION
            ),
        },
        request=shapes.VerifyRequest,
    )


verify_quality = _verify("quality")
verify_macro = _verify("macro")
_RECEIPT = {
    "email": "officer@bank.example",
    "timestamp": 1741000999000,
    "receipt": f"{_LEI}-2024-3-1741000999000",
    "status": {
        "code": 15,
        "message": "Your submission has been accepted.",
        "description": "The filing is complete.",
    },
    "signerUsername": "officer",
}
sign = _operation(
    "Sign a submission",
    {
        200: answered(shapes.SignReceipt, _RECEIPT),
        400: refused(
            400,
            f"Submission {_LEI}-2024-3 is not ready to be signed",
            "Illegal argument: signed = false",
            _CLOSED,
        ),
    },
    request=shapes.SignRequest,
)
get_receipt = _operation(
    "Get the receipt",
    {200: answered(shapes.SignReceipt, _RECEIPT), 400: refused(400, _NO_SUBMISSION)},
)
summary = _operation(
    "Get the summary of a submission",
    {
        200: shapes.SubmissionSummary,
        400: refused(400, _NO_INSTITUTION),
        404: refused(404, f"Submission {_LEI}-2024-3 not available", "Transmittal Sheet not found"),
    },
)
institution = _operation(
    "Get an institution with its filings of a year",
    {
        200: shapes.InstitutionFilings,
        404: refused(404, f"Institution: {_LEI} does not exist"),
    },
)
health = extend_schema(
    summary="Health", tags=[TAG], auth=[], responses={200: shapes.Health}, description="No login."
)
