"""The OpenAPI descriptions of the Institution Register Summary, and its JSON shapes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)
from rest_framework import serializers

from databrowser.register_summaries import documents
from databrowser.register_summaries.documents import (
    COLUMNS,
    NO_MSA_MD_ID,
    NO_MSA_MD_NAME,
    SummaryInPreparation,
)
from filing.api.openapi import IF_NONE_MATCH, LEI, UNAUTHORIZED, UNCHANGED, refused
from filing.api.serializers.filings import ErrorBody
from filing.api.value_schemas import DATA_YEAR, LEI_TEXT, text_schema

TAG = "Reports"
_ABOUT = (
    "The Institution Register Summary (IRS) counts all records of the filing that was signed last, "
    "whatever their action, by MSA/MD. Amounts are midpoints of 10,000-dollar intervals, in "
    "thousands. It is made anew at each signature. It is public for the years that the site names; "
    "for other years, a token with the LEI or a staff role is needed."
)


def _counts() -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    return {name: serializers.IntegerField(help_text=label) for name, label in COLUMNS.values()}


_Figures = type("RegisterSummaryFigures", (serializers.Serializer,), _counts())


class RegisterSummaryRow(_Figures):  # type: ignore[misc, valid-type]
    """The figures of an MSA/MD."""

    id = serializers.CharField(help_text=f"Five digits; `{NO_MSA_MD_ID}` for records without one.")
    name = serializers.CharField(help_text=f"`{NO_MSA_MD_NAME}` where there is none.")


class RegisterSummaryBody(serializers.Serializer[Any]):
    """The Institution Register Summary of a filing. Amounts are in thousands of dollars."""

    lei = serializers.CharField()
    institutionName = serializers.CharField()
    table = serializers.CharField(help_text="`IRS`")
    type = serializers.CharField(help_text="`Disclosure`")
    year = serializers.IntegerField()
    period = serializers.CharField(help_text="The year, or a quarter such as 2024-Q1.")
    reportDate = serializers.CharField(
        help_text="When it was prepared, in the filing time zone: MM/dd/yyyy hh:mm AM."
    )
    msas = RegisterSummaryRow(many=True)
    total = _Figures()


_PREPARING = OpenApiResponse(
    ErrorBody,
    description=SummaryInPreparation(LEI, "2024").message,
    # Not recorded: a summary is prepared within a minute.
    examples=[
        OpenApiExample(
            "busy",
            value={
                "httpStatus": SummaryInPreparation.status,
                "message": SummaryInPreparation(LEI, "2024").message,
                "path": f"/reports/2024/disclosure/{LEI}/nationwide/IRS",
                "requestId": "7F3K-9QXM-2BTD",
            },
        )
    ],
)


def describe_summary(title: str, found: dict[Any, Any]) -> Any:
    """Return the description of one address of the summary. found: its answer 200."""
    return extend_schema(
        summary=title,
        tags=[TAG],
        parameters=[
            OpenApiParameter(
                "year",
                text_schema(f"(?:{DATA_YEAR})(?:-Q[1-3])?"),
                OpenApiParameter.PATH,
                description="A year, or a quarter such as 2024-Q1.",
            ),
            OpenApiParameter("lei", LEI_TEXT, OpenApiParameter.PATH),
            IF_NONE_MATCH,
        ],
        responses={
            **found,
            304: UNCHANGED,
            401: UNAUTHORIZED,
            403: refused("Authorization Token does not carry the LEI of this request"),
            404: refused(documents.no_summary(LEI, "2024")),
            503: _PREPARING,
        },
        description=_ABOUT,
    )


JSON = {200: RegisterSummaryBody}
CSV = {
    (200, "text/csv"): OpenApiResponse(
        OpenApiTypes.STR, description="One line per MSA/MD; the last one has the totals."
    )
}
