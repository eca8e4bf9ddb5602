"""The operations that read what was found in a file."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from filing.api import serializers as shapes
from filing.api.openapi import LEI, PATH, answered, refused
from filing.api.openapi.operations import (
    LINKS,
    NO_INSTITUTION,
    NO_SUBMISSION,
    PAGE,
    STATUS_13,
    operation,
)
from filing.lar.fields import ABOUT_LIMITS

_DETAIL = OpenApiParameter(
    "detail", bool, description="`true` adds the columns rowNumber and fields."
)
parse_errors = operation(
    "View format errors",
    {
        200: answered(
            shapes.ParseErrors,
            {
                "transmittalSheetErrors": [],
                "larErrors": [
                    {
                        "rowNumber": 17,
                        "estimatedULI": f"{LEI}12345678901234567890AB38",
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
                "_links": {"href": f"{PATH}/submissions/3/parseErrors{{rel}}", **LINKS},
            },
        ),
        400: refused(400, NO_SUBMISSION, "The page 'x' is not a whole number."),
    },
    parameters=(PAGE,),
    description=(
        "Where one cause is behind them all, such as commas in place of pipes, the description of "
        f"the status says so at its end. {ABOUT_LIMITS}"
    ),
)
parse_errors_csv = operation(
    "Download format errors",
    {
        200: OpenApiResponse(OpenApiTypes.STR, description="Pipe-delimited, one line a value."),
        400: refused(400, NO_SUBMISSION),
    },
)
edits = operation(
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
                "status": {**STATUS_13, "qualityVerified": False, "macroVerified": False},
            },
        ),
        400: refused(400, NO_INSTITUTION),
        404: refused(404, NO_SUBMISSION),
    },
)
edit_detail = operation(
    "View the records an edit found",
    {
        200: answered(
            shapes.EditPage,
            {
                "edit": "Q631",
                "detail": "",
                "rows": [
                    {
                        "id": f"{LEI}12345678901234567890AB38",
                        "fields": [
                            {"name": "Loan Type", "value": "3"},
                            {"name": "Total Units", "value": "6"},
                        ],
                    }
                ],
                "count": 1,
                "total": 1,
                "_links": {"href": f"{PATH}/submissions/3/edits/Q631{{rel}}", **LINKS},
            },
        ),
        400: refused(400, NO_INSTITUTION, "The page 'x' is not a whole number."),
        404: refused(404, NO_SUBMISSION),
    },
    parameters=(PAGE,),
)
edits_csv = operation(
    "Download all edits",
    {
        200: OpenApiResponse(OpenApiTypes.STR, description="One line a record and edit."),
        400: refused(400, NO_INSTITUTION),
        404: refused(404, NO_SUBMISSION),
    },
    parameters=(_DETAIL,),
)
edit_csv = operation(
    "Download the records an edit found",
    {
        200: OpenApiResponse(
            OpenApiTypes.STR,
            description=(
                "One line a record: editType, editId, ULI, editDescription, rowNumber, fields. "
                "Only the header for an edit that found nothing."
            ),
        ),
        400: refused(400, NO_INSTITUTION),
        404: refused(404, NO_SUBMISSION),
    },
)
