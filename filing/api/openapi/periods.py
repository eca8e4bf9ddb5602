"""The operations on filing periods, and on the filings that an institution owes."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema

from filing.api.openapi import LEI, refused
from filing.api.openapi.operations import TAG, operation
from filing.api.serializers.periods import FilingPeriodList, ObligationList
from filing.files.openapi import IF_NONE_MATCH, UNCHANGED

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
        "filer, with the status of each filing and the receipt of what counts. Newest first."
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
    description="Canceled filings are left out.",
)
