"""Institutions of the panel, for the public and, with more details, for staff.

Their JSON shapes, OpenAPI descriptions and views.
"""

from __future__ import annotations

import json
from typing import Any, cast
from urllib.parse import urlencode

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from filing import access, requests
from filing.access import fields
from filing.access.fields import Readers
from filing.api.openapi import UNAUTHORIZED, refused
from filing.api.public import PublicView
from filing.api.serializers.filings import InstitutionBody
from filing.api.serializers.operators import StaffInstitution
from filing.api.value_schemas import AT_LEAST_ONE_OF, LEI_TEXT, match_any, text_schema
from filing.emails.outbox import ONE_LINE
from filing.errors import BadInput, Forbidden, NotFound
from filing.lar.fields import AGENCY_NAMES
from filing.models import Institution
from filing.panel import history, lar_counts
from filing.panel.history import Snapshot
from filing.people import institutions
from filing.people.institutions import InstitutionCriteria

INSTITUTIONS_TAG = "Institutions"
_LEI = "529900EXAMPLELEI0001"
LONGEST = 200  # characters of a parameter; no column is longer
MOST_YEARS = 10  # of counts
_STAFF = " TIN and notes are blank unless the bearer token belongs to staff."
_LINE = text_schema(f"{ONE_LINE}{{0,{LONGEST}}}")
_SEARCH_PARAMETERS = [
    OpenApiParameter(
        "respondentName", _LINE, description="Part of the name, in upper or lower case."
    ),
    OpenApiParameter("lei", LEI_TEXT, description="The complete LEI."),
    OpenApiParameter("city", _LINE, description="Part of the city's name, in upper or lower case."),
    OpenApiParameter("state", _LINE, description="The two-letter state code, such as `IL`."),
    OpenApiParameter("domain", _LINE, description="An email domain, such as `bank.example`."),
    OpenApiParameter(
        "taxId", _LINE, description="The complete TIN, such as `99-9999999`. For staff only."
    ),
    OpenApiParameter(
        "page", int, description="Page number, 100 institutions per page; 1 if left out."
    ),
]
_NO_INSTITUTION = f"There is no institution {_LEI} in 2024"
PARAMETERS = {
    "respondentName": "name",
    "lei": "lei",
    "city": "city",
    "state": "state",
    "domain": "domain",
}
STAFF_PARAMETERS = {"taxId": "tax_id"}
_ACCEPTED = f"give one or more of {', '.join(PARAMETERS)}."
PAGE_SIZE = 100  # institutions in an answer
MOST_CHANGES = 100  # in a history


class PublicInstitution(InstitutionBody):
    """An institution for the public: TIN and notes, which are for staff only, are blank."""

    reader = Readers.ANYONE


class PublicInstitutions(serializers.Serializer[Any]):
    """Institutions, sorted by name."""

    institutions = PublicInstitution(many=True)


class NoteHistoryItem(serializers.Serializer[Any]):
    """An institution in the panel of a year, after one change."""

    id = serializers.IntegerField()
    year = serializers.CharField(help_text="The year of the panel.")
    lei = serializers.CharField()
    historyID = serializers.CharField(
        help_text="LEI, year and time of the change, in milliseconds since 1970-01-01 UTC."
    )
    notes = serializers.CharField(help_text="For staff; blank for all other callers.")
    updatedPanel = serializers.CharField(
        help_text="The institution after the change, as a JSON object in a text."
    )


class NoteHistory(serializers.Serializer[Any]):
    """The changes of an institution in the panel of a year, newest first."""

    institutionNoteHistoryItems = NoteHistoryItem(many=True)


class LarCountBody(serializers.Serializer[Any]):
    """The number of records in signed annual filings of a year."""

    year = serializers.CharField()
    count = serializers.IntegerField()


class QuarterlyFilerBody(serializers.Serializer[Any]):
    """A quarterly filer with its numbers of records, for the years in which it filed."""

    lei = serializers.CharField(source="institution.lei")
    name = serializers.CharField(source="institution.name")
    agency = serializers.SerializerMethodField()
    larCounts = LarCountBody(many=True, source="lar_counts")

    def get_agency(self, filer: Any) -> str:
        return AGENCY_NAMES.get(filer.institution.agency, "")


class LarCountSummary(serializers.Serializer[Any]):
    """The numbers of records filed in past years: in all, and by each quarterly filer."""

    yearly = LarCountBody(many=True)
    quarterly = QuarterlyFilerBody(many=True)


def build_institution_body(institution: Institution, *, for_staff: bool) -> dict[str, Any]:
    """Return an institution as the caller may see it."""
    shape = StaffInstitution if for_staff else PublicInstitution
    return dict(shape(institution).data)


def build_history_item(snapshot: Snapshot, *, for_staff: bool) -> dict[str, Any]:
    """Return an item of the history of an institution as the caller may see it."""
    institution, milliseconds = snapshot.institution, int(snapshot.at.timestamp() * 1000)
    panel = build_institution_body(institution, for_staff=for_staff)
    return {
        "id": snapshot.id,
        "year": str(institution.activity_year),
        "lei": institution.lei,
        "historyID": f"{institution.lei}-{institution.activity_year}-{milliseconds}",
        "notes": panel["notes"],
        "updatedPanel": json.dumps(panel, ensure_ascii=False),
    }


def _operation(summary: str, responses: dict[int, Any], *, description: str, **more: Any) -> Any:
    return extend_schema(
        summary=summary,
        tags=[INSTITUTIONS_TAG],
        responses=responses,
        description=description,
        **more,
    )


def _search(summary: str, about: str, nothing: str) -> Any:
    return _operation(
        summary,
        {
            200: OpenApiResponse(
                PublicInstitutions,
                description=(
                    "Sorted by name. If there are several pages, the header `Link` has the "
                    "addresses of the first, previous, next and last page."
                ),
            ),
            400: refused(
                f"The search has no criteria; {_ACCEPTED}",
                f"The parameter 'name' is unknown; {_ACCEPTED}",
                "state has 300 characters; give at most 200.",
                "The page 'x' is not a whole number.",
            ),
            401: UNAUTHORIZED,
            403: refused(f"Only staff may search by taxId; {_ACCEPTED}"),
            404: refused(nothing, "There is no page 9: the last one is 3."),
        },
        parameters=_SEARCH_PARAMETERS,
        extensions={AT_LEAST_ONE_OF: [[*PARAMETERS, *STAFF_PARAMETERS]]},
        description=(
            f"{about} Enter one or more criteria; an institution must meet all of them. The domain "
            "of a public email service matches no institution." + _STAFF
        ),
    )


institutions_schema = _search(
    "Find institutions",
    "Institutions in the panel, each with the data of its newest year.",
    "There is no institution with domain gmail.com",
)
institutions_of_year_schema = _search(
    "Find institutions of a year",
    "Institutions with their data in the panel of the year.",
    "There is no institution with respondentName Example and state IL in 2024",
)
institution_schema = _operation(
    "Get an institution of a year",
    {
        200: PublicInstitution,
        401: UNAUTHORIZED,
        404: refused(_NO_INSTITUTION),
    },
    description="An institution with its data in the panel of the year." + _STAFF,
)
institution_history_schema = _operation(
    "Get the history of an institution of a year",
    {
        200: NoteHistory,
        401: UNAUTHORIZED,
        404: refused(_NO_INSTITUTION, f"There is no history of institution {_LEI} in 2024"),
    },
    description=(
        "The last 100 changes of the institution in the panel of the year, newest first, each with "
        "the institution after the change. Changes of TIN and notes only are left out." + _STAFF
    ),
)
lar_counts_schema = extend_schema(
    summary="Count the records of past years",
    tags=[INSTITUTIONS_TAG],
    auth=[],
    parameters=[
        OpenApiParameter(
            "past",
            text_schema(match_any(map(str, range(1, MOST_YEARS + 1)))),
            OpenApiParameter.PATH,
        )
    ],
    responses={
        200: LarCountSummary,
        400: refused("12 past years cannot be counted; enter 1 to 10."),
        404: OpenApiResponse(description="The address does not exist: a year has four digits."),
    },
    description=(
        "The number of records in signed annual filings of the years before: for all institutions, "
        "and for each quarterly filer of the year in the years it filed. Purchased loans are "
        "included, although the 60,000 threshold excludes them (12 CFR 1003.5(a)(1)(ii))."
    ),
)


class PanelView(PublicView):
    """A public view that shows more to staff who send their token."""

    authentication_classes = list(APIView.authentication_classes)

    @property
    def for_staff(self) -> bool:
        """Whether the caller is a member of staff."""
        caller = cast("access.Caller | None", self.request.user)
        return caller is not None and access.is_staff(caller)


class InstitutionsView(PanelView):
    """The institutions that meet all criteria, with the data of their newest year."""

    @institutions_schema
    def get(self, request: Request) -> Response:
        return self.page_of_matches(request)

    def page_of_matches(self, request: Request, year: int | None = None) -> Response:
        """Return a page of the matching institutions, with links to the other pages."""
        criteria = self._search_criteria(request)
        matching = institutions.search_institutions(_criteria(criteria), year=year)
        first = list(matching[: PAGE_SIZE + 1])
        total = len(first) if len(first) <= PAGE_SIZE else matching.count()
        page = requests.select_page(request.query_params.get("page"), total, size=PAGE_SIZE)
        if not page.count:
            raise NotFound(_no_matches(criteria, year, page))
        rows = (first if page.number == 1 else matching)[page.rows]
        bodies = [
            build_institution_body(institution, for_staff=self.for_staff) for institution in rows
        ]
        return Response({"institutions": bodies}, headers=_links(request, page))

    def _search_criteria(self, request: Request) -> dict[str, str]:
        """Return the criteria that are not blank, by parameter.

        Raises: BadInput for unknown parameters and without criteria; Forbidden for criteria that
            only staff may use.
        """
        parameters = request.query_params
        if unknown := sorted(set(parameters) - {*PARAMETERS, *STAFF_PARAMETERS, "page"}):
            raise BadInput(f"The parameter {unknown[0][:100]!r} is unknown; {_ACCEPTED}")
        criteria = {
            name: text
            for name in parameters
            if name != "page"
            if (text := parameters[name].strip())
        }
        if not criteria:
            raise BadInput(f"The search has no criteria; {_ACCEPTED}")
        if not self.for_staff and (hidden := sorted(criteria.keys() & STAFF_PARAMETERS)):
            raise Forbidden(f"Only staff may search by {hidden[0]}; {_ACCEPTED}")
        for name, text in criteria.items():
            _check(name, text)
        return criteria


class InstitutionsOfYearView(InstitutionsView):
    """The institutions that meet all criteria, with their data in the panel of a year."""

    @institutions_of_year_schema
    def get(self, request: Request, year: str) -> Response:
        return self.page_of_matches(request, int(year))


class PublicInstitutionView(PanelView):
    """An institution with its data in the panel of a year."""

    @institution_schema
    def get(self, request: Request, lei: str, year: str) -> Response:
        return Response(build_institution_body(_institution(lei, year), for_staff=self.for_staff))


class InstitutionHistoryView(PanelView):
    """The changes of an institution in the panel of a year."""

    @institution_history_schema
    def get(self, request: Request, lei: str, year: str) -> Response:
        snapshots = history.list_snapshots(_institution(lei, year), most=MOST_CHANGES)
        if not self.for_staff:  # nor may they learn that hidden fields changed
            hidden = set(fields.hidden_fields(Institution, Readers.ANYONE))
            snapshots = [snapshot for snapshot in snapshots if snapshot.fields - hidden]
        if not snapshots:
            raise NotFound(f"There is no history of institution {lei} in {year}")
        items = [build_history_item(snapshot, for_staff=self.for_staff) for snapshot in snapshots]
        return Response({"institutionNoteHistoryItems": items})


class LarCountsView(PublicView):
    """The numbers of records filed in the years before one."""

    @lar_counts_schema
    def get(self, request: Request, year: str, past: str) -> Response:
        if not 1 <= int(past) <= MOST_YEARS:
            raise BadInput(f"{past} past years cannot be counted; enter 1 to {MOST_YEARS}.")
        years = [int(year) - back for back in range(1, int(past) + 1)]
        summary = {
            "yearly": lar_counts.count_records_by_year(years),
            "quarterly": lar_counts.list_quarterly_filers(int(year), years),
        }
        return Response(LarCountSummary(summary).data)


def _check(name: str, text: str) -> None:
    if len(text) > LONGEST:
        raise BadInput(f"{name} has {len(text)} characters; give at most {LONGEST}.")
    try:
        institutions.check_text(text)
    except ValueError as error:
        raise BadInput(f"{name} cannot be searched for: {error}.") from None


def _criteria(texts: dict[str, str]) -> InstitutionCriteria:
    names = PARAMETERS | STAFF_PARAMETERS
    return InstitutionCriteria(**{names[name]: text for name, text in texts.items()})


def _no_matches(texts: dict[str, str], year: int | None, page: requests.ListPage) -> str:
    if page.total:
        return f"There is no page {page.number}: the last one is {page.last}."
    criteria = " and ".join(f"{name} {text}" for name, text in texts.items())
    return f"There is no institution with {criteria}" + (f" in {year}" if year else "")


def _institution(lei: str, year: str) -> Institution:
    institution = institutions.search_institutions(
        InstitutionCriteria(lei=lei), year=int(year)
    ).first()
    if institution is None:
        raise NotFound(f"There is no institution {lei[:100]} in {year}")
    return institution


def _links(request: Request, page: requests.ListPage) -> dict[str, str] | None:
    """Return the header with the addresses of the other pages, or None for a single page.

    Source: RFC 8288.
    """
    if page.last == 1:
        return None
    numbers = {"first": 1, "prev": page.number - 1, "next": page.number + 1, "last": page.last}
    parameters: dict[str, Any] = request.query_params.dict()
    links = (
        f'<{request.path}?{urlencode({**parameters, "page": number})}>; rel="{relation}"'
        for relation, number in numbers.items()
        if 1 <= number <= page.last
    )
    return {"Link": ", ".join(links)}
