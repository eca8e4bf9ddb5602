"""What changed between two versions of a year, for programs.

Their JSON shapes, OpenAPI descriptions and views.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.differences import comparison_jobs
from databrowser.differences.comparison import COUNTS, FIELDS
from databrowser.differences.comparison_jobs import (
    ComparisonFailed,
    Differences,
    TooManyComparisons,
)
from filing.api.openapi import IF_NONE_MATCH, UNCHANGED, refused
from filing.api.public import PublicView
from filing.api.serializers.filings import ErrorBody
from filing.files import responses
from filing.lar.formulas import guard_column

TAG = "Publications"
RETRY_SECONDS = 2
# For the API document and the page.
RULES = (
    "Public records have no key. Within an institution, records that are equal in all columns are "
    "the same. The others are paired as changed where they agree in a set of columns, in five "
    "passes from many columns to few: all columns as filed; the application (place, type, purpose, "
    "amount, property value, income, applicants); place, type, purpose, amount and action taken; "
    "type, purpose, amount, action taken, property value, income and applicant at another place; "
    "place, type, purpose, occupancy and applicant. Each record is paired once. What is left was "
    "removed or added."
)


class MovedField(serializers.Serializer[Any]):
    """A field in which changed records differ."""

    name = serializers.CharField(help_text="A column of the files of whole years.")
    records = serializers.IntegerField(help_text="How many changed records differ in it.")


class RecordDifference(serializers.Serializer[Any]):
    """How many records there are, and how many of them differ."""

    before = serializers.IntegerField(help_text="Records in the earlier version.")
    after = serializers.IntegerField(help_text="Records in the later version.")
    added = serializers.IntegerField()
    removed = serializers.IntegerField()
    changed = serializers.IntegerField()
    movedFields = MovedField(many=True)


class InstitutionDifference(RecordDifference):
    """An institution whose records differ."""

    lei = serializers.CharField()
    name = serializers.CharField(help_text="Blank if it is unknown.")


class VersionDifference(RecordDifference):
    """What changed between two versions of a year."""

    year = serializers.IntegerField()
    fromVersion = serializers.CharField()
    toVersion = serializers.CharField()
    institutions = InstitutionDifference(many=True, help_text="Those that differ, by LEI.")


class PendingDifference(serializers.Serializer[Any]):
    """Two versions that are being compared."""

    fromVersion = serializers.CharField()
    toVersion = serializers.CharField()
    message = serializers.CharField()


_EXAMPLE = ("2022-1", "2022-3")
_DESCRIPTION = (
    f"The records added, removed and changed between two versions, by institution. {RULES}\n\n"
    "Two versions are compared once, which takes up to some minutes: until then the answer is 202; "
    "repeat the call as `Retry-After` says."
)
_PARAMETERS = [
    OpenApiParameter(
        "from",
        str,
        description="The earlier version, such as `2022-1`; the one before `to` if left out.",
    ),
    OpenApiParameter(
        "to", str, description="The later version, such as `2022-3`; the published one if left out."
    ),
    IF_NONE_MATCH,
]
_BUSY = OpenApiResponse(
    ErrorBody,
    description=f"{TooManyComparisons().message} / {ComparisonFailed(*_EXAMPLE).message}",
    # Not recorded: a service would have to be overloaded for it.
    examples=[
        OpenApiExample(
            "busy",
            value={
                "httpStatus": TooManyComparisons.status,
                "message": TooManyComparisons().message,
                "path": "/publications/2022/differences",
                "requestId": "7F3K-9QXM-2BTD",
            },
        )
    ],
)
_OTHERS = {
    202: PendingDifference,
    304: UNCHANGED,
    400: refused(comparison_jobs.not_in_order(*reversed(_EXAMPLE))),
    404: refused(
        comparison_jobs.no_year("2017"),
        comparison_jobs.no_version("2022-7"),
        comparison_jobs.none_before("2022-1"),
    ),
    503: _BUSY,
}


class DifferencesView(PublicView):
    """What changed between two versions, as JSON."""

    @extend_schema(
        summary="Compare two versions of a year",
        tags=[TAG],
        auth=[],
        parameters=_PARAMETERS,
        responses={200: VersionDifference, **_OTHERS},
        description=_DESCRIPTION,
    )
    def get(self, request: Request, year: str) -> HttpResponseBase:
        parameters = request.query_params
        before, after = comparison_jobs.choose_versions(
            comparison_jobs.find_versions(year),
            parameters.get("from", ""),
            parameters.get("to", ""),
        )
        differences = comparison_jobs.find_differences(before, after)
        if differences is None:
            pending = {
                "fromVersion": before.name,
                "toVersion": after.name,
                "message": "The versions are being compared. Repeat the call.",
            }
            headers = {"Retry-After": str(RETRY_SECONDS)}
            return Response(pending, status=HTTPStatus.ACCEPTED, headers=headers)
        return responses.answer_conditionally(
            request, differences.etag, lambda: self.answer(differences)
        )

    def answer(self, differences: Differences) -> HttpResponse:
        """Return the answer with how the versions differ."""
        before, after = differences.before, differences.after
        body = {
            "year": before.year,
            "fromVersion": before.name,
            "toVersion": after.name,
            **differences.totals,
            "movedFields": differences.moved_fields,
            "institutions": differences.list_institutions(),
        }
        return Response(body)


class DifferencesCsvView(DifferencesView):
    """What changed between two versions, as CSV."""

    @extend_schema(
        summary="Compare two versions of a year as CSV",
        tags=[TAG],
        auth=[],
        parameters=_PARAMETERS,
        responses={(200, "text/csv"): OpenApiTypes.STR, **_OTHERS},
        description=(
            "A line for each institution whose records differ, by LEI: its records added, removed "
            "and changed, then for each field how many of the changed ones differ in it. "
            f"{_DESCRIPTION}"
        ),
    )
    def get(self, request: Request, year: str) -> HttpResponseBase:
        return super().get(request, year)

    def answer(self, differences: Differences) -> HttpResponse:
        name = f"differences-{differences.before.name}-to-{differences.after.name}.csv"
        shown = differences.institutions.select("lei", guard_column("name"), *COUNTS, *FIELDS)
        text = shown.write_csv()
        return responses.make_attachment(name, HttpResponse(text, content_type=responses.CSV))
