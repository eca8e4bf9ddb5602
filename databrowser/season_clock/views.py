"""The clock of a season as JSON and as a page; on sites that do not show it, there is neither.

With its JSON shape and OpenAPI description.
"""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.season_clock import clock
from filing.api.openapi import refused
from filing.api.public import PublicView
from filing.errors import NotFound

NOT_HERE = "This site shows no season clock: SEASON_CLOCK_ENABLED is off."
LAST_DAYS = 14  # on the page; the JSON has them all


class ClassCountBody(serializers.Serializer[Any]):
    """How many institutions of a class are expected to file, and how many have signed."""

    agency = serializers.IntegerField(
        source="code", allow_null=True, help_text="The agency code; null for several agencies."
    )
    name = serializers.CharField()
    expected = serializers.IntegerField()
    signed = serializers.IntegerField()


class FilingCountBody(serializers.Serializer[Any]):
    """How many institutions are expected to file, and how many have signed."""

    expected = serializers.IntegerField()
    signed = serializers.IntegerField()


class DayCountBody(serializers.Serializer[Any]):
    """How many had signed by the end of a day."""

    date = serializers.DateField()
    signed = serializers.IntegerField()


class SeasonPeriodBody(serializers.Serializer[Any]):
    """The filing period, with its first day, its deadline, and the last day for late filings."""

    period = serializers.CharField(source="*")
    opens = serializers.DateField()
    deadline = serializers.DateField(source="timely_until")
    closes = serializers.DateField()


class FileQueueBody(serializers.Serializer[Any]):
    """The files that wait to be checked."""

    waiting = serializers.IntegerField()
    oldestSince = serializers.DateTimeField(source="oldest_since", allow_null=True)
    usualWaitSeconds = serializers.IntegerField(
        source="usual_wait_seconds",
        allow_null=True,
        help_text="Half of the last 200 files of this week waited less; null without any.",
    )


class NextPublicationBody(serializers.Serializer[Any]):
    """The data set that is frozen next, and published after that day."""

    year = serializers.IntegerField()
    dataset = serializers.CharField()
    frozenOn = serializers.DateField(source="frozen_on")


class NoticeBody(serializers.Serializer[Any]):
    """An incident, or planned maintenance."""

    text = serializers.CharField()
    begins = serializers.DateTimeField(allow_null=True)
    ends = serializers.DateTimeField(allow_null=True)


class SeasonClockBody(serializers.Serializer[Any]):
    """The clock of the current filing period."""

    asOf = serializers.DateTimeField(source="as_of")
    season = SeasonPeriodBody(source="period", allow_null=True)
    filings = FilingCountBody(
        source="counts", allow_null=True, help_text="Null for fewer than 10 institutions."
    )
    byAgency = ClassCountBody(source="by_agency", many=True)
    byDay = serializers.SerializerMethodField(method_name="list_days")
    queue = FileQueueBody()
    nextPublication = NextPublicationBody(source="next_publication", allow_null=True)
    incidents = NoticeBody(many=True)
    plannedMaintenance = NoticeBody(source="maintenance", many=True)

    def list_days(self, season: clock.SeasonClock) -> DayCountBody(many=True):  # type: ignore[valid-type]
        """Return the days with their counts, the first one first."""
        return [{"date": day, "signed": number} for day, number in season.by_day.items()]


EXAMPLE = OpenApiExample(
    "SeasonClock",  # what a service answers depends on the day
    status_codes=["200"],
    response_only=True,
    value={
        "asOf": "2026-02-20T15:04:05.000000Z",
        "season": {
            "period": "2025",
            "opens": "2026-01-01",
            "deadline": "2026-03-02",
            "closes": "2028-12-31",
        },
        "filings": {"expected": 4905, "signed": 1270},
        "byAgency": [
            {
                "agency": 9,
                "name": "Consumer Financial Protection Bureau",
                "expected": 1705,
                "signed": 410,
            },
            {"agency": None, "name": "Other agencies", "expected": 3200, "signed": 860},
        ],
        "byDay": [
            {"date": "2026-02-19", "signed": 1204},
            {"date": "2026-02-20", "signed": 1270},
        ],
        "queue": {"waiting": 3, "oldestSince": "2026-02-20T15:04:01Z", "usualWaitSeconds": 2},
        "nextPublication": {"year": 2025, "dataset": "snapshot", "frozenOn": "2026-05-01"},
        "incidents": [],
        "plannedMaintenance": [
            {
                "text": "The service is updated.",
                "begins": "2026-02-22T05:00:00Z",
                "ends": "2026-02-22T07:00:00Z",
            }
        ],
    },
)


class SeasonClockView(PublicView):
    """The clock of the season."""

    @extend_schema(
        summary="Read the clock of the filing season",
        tags=["Publications"],
        auth=[],
        examples=[EXAMPLE],
        responses={200: SeasonClockBody, 404: refused(NOT_HERE)},
        description=(
            "How many institutions have filed of those expected, by agency and by day; the files "
            "that wait to be checked; the next publication; incidents and planned maintenance. "
            "Agencies with fewer than 10 institutions are counted together, and test institutions "
            "are left out. At most 10 seconds old. A site shows it by setting."
        ),
    )
    def get(self, request: Request) -> Response:
        if not clock.is_clock_public():
            raise NotFound(NOT_HERE)
        response = Response(SeasonClockBody(clock.read_clock()).data)
        patch_cache_control(response, public=True, max_age=clock.CACHE_SECONDS)
        return response


@require_safe
def show_season_clock(request: HttpRequest) -> HttpResponse:
    """Show the clock of the season."""
    if not clock.is_clock_public():
        raise Http404(NOT_HERE)
    season = clock.read_clock()
    days = list(season.by_day.items())
    context = {
        "clock": season,
        "days": days[: -LAST_DAYS - 1 : -1],
        "smallest": clock.SMALLEST_CLASS,
    }
    return render(request, "databrowser/season_clock.html", context)
