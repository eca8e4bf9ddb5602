"""The list of modified LARs by the day on which each became available, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import TruncDate
from django.http import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.models import ModifiedLar
from databrowser.modified_lars import openapi
from filing.api.openapi import IF_NONE_MATCH, UNCHANGED, refused
from filing.api.public import PublicView
from filing.api.serializers.filings import Links
from filing.api.value_schemas import DATA_YEAR_NUMBER
from filing.day_hours import filing_zone
from filing.errors import BadInput
from filing.files import responses
from filing.lar.years import YearStage, supported_years
from filing.requests import read_day, select_page

ADDRESS = "/v2/public/modifiedLAR"
PARAMETERS = ("date", "since", "year")
_FILING = "submission__filing"


@dataclass(frozen=True)
class ListQuery:
    """Which modified LARs a reader asks for. day: the only one; since: the first one."""

    day: date | None = None
    since: date | None = None
    year: int | None = None

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> ListQuery:
        """Return the query of the parameters of a request. Raises: BadInput."""
        year = parameters.get("year", "").strip()
        if year and year not in map(str, supported_years(YearStage.FILING)):
            raise BadInput(openapi.no_year(year[:10]))
        return cls(
            read_day(parameters.get("date")),
            read_day(parameters.get("since")),
            int(year) if year else None,
        )

    def find(self) -> QuerySet[ModifiedLar]:
        """Return those in use of annual filings, each with its `day` in the filing time zone."""
        filters = {
            "day": self.day,
            "day__gte": self.since,
            f"{_FILING}__period__year": self.year,
        }
        lars = ModifiedLar.objects.annual().public()
        lars = lars.annotate(day=TruncDate("made_at", tzinfo=filing_zone()))
        lars = lars.filter(**{name: value for name, value in filters.items() if value})
        return lars.select_related(f"{_FILING}__institution", f"{_FILING}__period").order_by(
            "-day", f"-{_FILING}__period__year", f"{_FILING}__institution__name", "pk"
        )


class ListedLar(serializers.Serializer[Any]):
    """One modified LAR, and the day on which it became available."""

    date = serializers.DateField(source="day", help_text="In the filing time zone.")
    year = serializers.IntegerField(source="submission.filing.period.year")
    lei = serializers.CharField(source="submission.filing.institution.lei")
    name = serializers.CharField(source="submission.filing.institution.name")
    records = serializers.IntegerField(source="rows")
    href = serializers.SerializerMethodField()

    def get_href(self, lar: ModifiedLar) -> str:
        filing = lar.submission.filing
        return reverse("modified:file", args=[filing.period.year, filing.institution.lei])


class LarPage(serializers.Serializer[Any]):
    """A page of modified LARs, newest day first."""

    modifiedLars = ListedLar(many=True)
    count = serializers.IntegerField(help_text="Number of entries on this page.")
    total = serializers.IntegerField()
    _links = Links()


class ModifiedLarList(PublicView):
    """The list of modified LARs."""

    @extend_schema(
        summary="List modified LARs by day",
        tags=[openapi.TAG],
        auth=[],
        parameters=[
            OpenApiParameter("date", OpenApiTypes.DATE, description="Only those of this day."),
            OpenApiParameter("since", OpenApiTypes.DATE, description="The first day."),
            OpenApiParameter(
                "year", DATA_YEAR_NUMBER, description="Only those of this filing year."
            ),
            OpenApiParameter(
                "page", int, description="Page number, 20 entries per page; 1 if left out."
            ),
            IF_NONE_MATCH,
        ],
        responses={
            200: LarPage,
            304: UNCHANGED,
            400: refused(
                "'soon' is not a day; enter one such as 2026-06-30.", openapi.no_year("2017")
            ),
        },
        description=(
            "The modified LARs of annual filings, newest day first. An institution that signs "
            "again, and one whose public records are prepared again, is listed with the new day."
        ),
    )
    def get(self, request: Request) -> HttpResponseBase:
        found = ListQuery.of(request.query_params).find()
        page = select_page(request.query_params.get("page"), found.count())
        rows = list(found[page.rows])
        body = LarPage(
            {
                "modifiedLars": rows,
                "count": len(rows),
                "total": page.total,
                "_links": page.links(ADDRESS),
            }
        ).data
        etag = responses.make_etag(body)
        return responses.answer_conditionally(request, etag, lambda: Response(body))
