"""The views of institutions in the panel, for the public and with more details for staff."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import urlencode

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from filing import access
from filing.access import fields
from filing.access.fields import Readers
from filing.api.public import PublicView
from filing.errors import BadInput, Forbidden, NotFound
from filing.models import Institution
from filing.panel import history, lar_counts
from filing.people import institutions
from filing.people.institutions import Criteria
from filing.requests import pagination
from publicapi import institution_openapi as openapi
from publicapi import institution_serializers as shapes

PARAMETERS = {
    "respondentName": "name",
    "lei": "lei",
    "city": "city",
    "state": "state",
    "domain": "domain",
}
STAFF_PARAMETERS = {"taxId": "tax_id"}
PAGE_SIZE = 100  # institutions in an answer
LONGEST = 200  # characters of a parameter; no column is longer
MOST_CHANGES = 100  # in a history
MOST_YEARS = 10  # of counts


class PanelView(PublicView):
    """A public view that shows more to staff who send their token."""

    authentication_classes = list(APIView.authentication_classes)

    @property
    def for_staff(self) -> bool:
        """Whether the caller is a member of staff."""
        caller = cast("access.Caller | None", self.request.user)
        return caller is not None and access.is_staff(caller)


class Institutions(PanelView):
    """The institutions that meet all criteria, with the data of their newest year."""

    @openapi.institutions
    def get(self, request: Request) -> Response:
        return self.page_of_matches(request)

    def page_of_matches(self, request: Request, year: int | None = None) -> Response:
        """Return a page of the matching institutions, with links to the other pages."""
        criteria = self._search_criteria(request)
        matching = institutions.matching(_criteria(criteria), year=year)
        first = list(matching[: PAGE_SIZE + 1])
        total = len(first) if len(first) <= PAGE_SIZE else matching.count()
        page = pagination.page(request.query_params.get("page"), total, size=PAGE_SIZE)
        if not page.count:
            raise NotFound(_no_matches(criteria, year, page))
        rows = (first if page.number == 1 else matching)[page.rows]
        bodies = [shapes.body(institution, for_staff=self.for_staff) for institution in rows]
        return Response({"institutions": bodies}, headers=_links(request, page))

    def _search_criteria(self, request: Request) -> dict[str, str]:
        """Return the criteria that are not blank, by parameter.

        Raises: BadInput for unknown parameters and without criteria; Forbidden for criteria that
            only staff may use.
        """
        parameters = request.query_params
        if unknown := sorted(set(parameters) - {*PARAMETERS, *STAFF_PARAMETERS, "page"}):
            raise BadInput(f"The parameter {unknown[0][:100]!r} is unknown; {_accepted()}.")
        criteria = {
            name: text
            for name in parameters
            if name != "page"
            if (text := parameters[name].strip())
        }
        if not criteria:
            raise BadInput(f"The search has no criteria; {_accepted()}.")
        if not self.for_staff and (hidden := sorted(criteria.keys() & STAFF_PARAMETERS)):
            raise Forbidden(f"Only staff may search by {hidden[0]}; {_accepted()}.")
        for name, text in criteria.items():
            _check(name, text)
        return criteria


class InstitutionsOfYear(Institutions):
    """The institutions that meet all criteria, with their data in the panel of a year."""

    @openapi.institutions_of_year
    def get(self, request: Request, year: str) -> Response:
        return self.page_of_matches(request, int(year))


class OneInstitution(PanelView):
    """An institution with its data in the panel of a year."""

    @openapi.institution
    def get(self, request: Request, lei: str, year: str) -> Response:
        return Response(shapes.body(_institution(lei, year), for_staff=self.for_staff))


class InstitutionHistory(PanelView):
    """The changes of an institution in the panel of a year."""

    @openapi.institution_history
    def get(self, request: Request, lei: str, year: str) -> Response:
        snapshots = history.snapshots(_institution(lei, year), most=MOST_CHANGES)
        if not self.for_staff:  # nor may they learn that hidden fields changed
            hidden = set(fields.hidden(Institution, Readers.ANYONE))
            snapshots = [snapshot for snapshot in snapshots if snapshot.fields - hidden]
        if not snapshots:
            raise NotFound(f"There is no history of institution {lei} in {year}")
        items = [shapes.history_item(snapshot, for_staff=self.for_staff) for snapshot in snapshots]
        return Response({"institutionNoteHistoryItems": items})


class LarCounts(PublicView):
    """The numbers of records filed in the years before one."""

    @openapi.lar_counts
    def get(self, request: Request, year: str, past: str) -> Response:
        if not 1 <= int(past) <= MOST_YEARS:
            raise BadInput(f"{past} past years cannot be counted; enter 1 to {MOST_YEARS}.")
        years = [int(year) - back for back in range(1, int(past) + 1)]
        summary = {
            "yearly": lar_counts.yearly(years),
            "quarterly": lar_counts.of_quarterly_filers(int(year), years),
        }
        return Response(shapes.LarCountSummary(summary).data)


def _accepted() -> str:
    return f"give one or more of {', '.join(PARAMETERS)}"


def _check(name: str, text: str) -> None:
    if len(text) > LONGEST:
        raise BadInput(f"{name} has {len(text)} characters; give at most {LONGEST}.")
    try:
        institutions.check_text(text)
    except ValueError as error:
        raise BadInput(f"{name} cannot be searched for: {error}.") from None


def _criteria(texts: dict[str, str]) -> Criteria:
    names = PARAMETERS | STAFF_PARAMETERS
    return Criteria(**{names[name]: text for name, text in texts.items()})


def _no_matches(texts: dict[str, str], year: int | None, page: pagination.Page) -> str:
    if page.total:
        return f"There is no page {page.number}: the last one is {page.last}."
    criteria = " and ".join(f"{name} {text}" for name, text in texts.items())
    return f"There is no institution with {criteria}" + (f" in {year}" if year else "")


def _institution(lei: str, year: str) -> Institution:
    institution = institutions.matching(Criteria(lei=lei), year=int(year)).first()
    if institution is None:
        raise NotFound(f"There is no institution {lei[:100]} in {year}")
    return institution


def _links(request: Request, page: pagination.Page) -> dict[str, str] | None:
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
