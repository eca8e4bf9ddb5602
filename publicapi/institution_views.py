"""The addresses of institutions: what anyone may look up in the panel, and what staff may."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import urlencode

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from filing import access
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
LONGEST = 200  # characters of a parameter: no column has more
MOST_CHANGES = 100  # in a history
MOST_YEARS = 10  # that counts go back


class PanelView(PublicView):
    """An address that is open to all, where staff who send their token see more."""

    authentication_classes = list(APIView.authentication_classes)

    @property
    def for_staff(self) -> bool:
        """Whether the caller is a member of staff."""
        caller = cast("access.Caller | None", self.request.user)
        return caller is not None and access.is_staff(caller)


class Institutions(PanelView):
    """The institutions that meet all criteria, as in their newest year."""

    @openapi.institutions
    def get(self, request: Request) -> Response:
        return self.found(request)

    def found(self, request: Request, year: int | None = None) -> Response:
        """Return a page of the institutions, and where the other pages are."""
        given = self._given(request)
        matching = institutions.matching(_criteria(given), year=year)
        first = list(matching[: PAGE_SIZE + 1])
        total = len(first) if len(first) <= PAGE_SIZE else matching.count()
        page = pagination.page(request.query_params.get("page"), total, size=PAGE_SIZE)
        if not page.count:
            raise NotFound(_nothing(given, year, page))
        rows = (first if page.number == 1 else matching)[page.rows]
        shown = [shapes.body(each, for_staff=self.for_staff) for each in rows]
        return Response({"institutions": shown}, headers=_links(request, page))

    def _given(self, request: Request) -> dict[str, str]:
        """Return the criteria that are not blank, by parameter.

        Raises: BadInput for parameters that there are not, and where there are no criteria;
            Forbidden for what only staff may search by.
        """
        asked = request.query_params
        if unknown := sorted(set(asked) - {*PARAMETERS, *STAFF_PARAMETERS, "page"}):
            raise BadInput(f"The parameter {unknown[0][:100]!r} is unknown; {_accepted()}.")
        given = {name: text for name in asked if name != "page" if (text := asked[name].strip())}
        if not given:
            raise BadInput(f"The search has no criteria; {_accepted()}.")
        if not self.for_staff and (hidden := sorted(given.keys() & STAFF_PARAMETERS)):
            raise Forbidden(f"Only staff may search by {hidden[0]}; {_accepted()}.")
        for name, text in given.items():
            _check(name, text)
        return given


class InstitutionsOfYear(Institutions):
    """The institutions that meet all criteria, as in the panel of a year."""

    @openapi.institutions_of_year
    def get(self, request: Request, year: str) -> Response:
        return self.found(request, int(year))


class OneInstitution(PanelView):
    """An institution as in the panel of a year."""

    @openapi.institution
    def get(self, request: Request, lei: str, year: str) -> Response:
        return Response(shapes.body(_institution(lei, year), for_staff=self.for_staff))


class InstitutionHistory(PanelView):
    """How an institution of a year changed."""

    @openapi.institution_history
    def get(self, request: Request, lei: str, year: str) -> Response:
        found = history.snapshots(_institution(lei, year), most=MOST_CHANGES)
        if not self.for_staff:  # that something changed that they may not see is not told either
            found = [each for each in found if each.fields - shapes.FOR_STAFF.keys()]
        if not found:
            raise NotFound(f"There is no history of institution {lei} in {year}")
        items = [shapes.history_item(each, for_staff=self.for_staff) for each in found]
        return Response({"institutionNoteHistoryItems": items})


class LarCounts(PublicView):
    """How many records were filed in the years before one."""

    @openapi.lar_counts
    def get(self, request: Request, year: str, past: str) -> Response:
        if not 1 <= int(past) <= MOST_YEARS:
            raise BadInput(f"{past} past years cannot be counted: ask for 1 to {MOST_YEARS}.")
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


def _criteria(given: dict[str, str]) -> Criteria:
    fields = PARAMETERS | STAFF_PARAMETERS
    return Criteria(**{fields[name]: text for name, text in given.items()})


def _nothing(given: dict[str, str], year: int | None, page: pagination.Page) -> str:
    if page.total:
        return f"There is no page {page.number}: the last one is {page.last}."
    criteria = " and ".join(f"{name} {text}" for name, text in given.items())
    return f"There is no institution with {criteria}" + (f" in {year}" if year else "")


def _institution(lei: str, year: str) -> Institution:
    found = institutions.matching(Criteria(lei=lei), year=int(year)).first()
    if found is None:
        raise NotFound(f"There is no institution {lei[:100]} in {year}")
    return found


def _links(request: Request, page: pagination.Page) -> dict[str, str] | None:
    """Return the header that says where the other pages are; none where there is only one.

    Source: RFC 8288.
    """
    if page.last == 1:
        return None
    numbers = {"first": 1, "prev": page.number - 1, "next": page.number + 1, "last": page.last}
    asked: dict[str, Any] = request.query_params.dict()
    links = (
        f'<{request.path}?{urlencode({**asked, "page": number})}>; rel="{relation}"'
        for relation, number in numbers.items()
        if 1 <= number <= page.last
    )
    return {"Link": ", ".join(links)}
