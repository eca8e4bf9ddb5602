"""The views of the edits reference."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import PublicView
from filing.edits import catalogue
from filing.edits.edit import Edit, Kind
from filing.errors import BadInput, NotFound
from filing.lar.period import Period
from filing.lar.years import unsettled_years
from publicapi import checks, openapi
from publicapi import serializers as shapes


class Edits(PublicView):
    """The edits reference."""

    @openapi.edit_book
    def get(self, request: Request) -> Response:
        return _filtered(catalogue.EDITS, request)


class EditEntries(PublicView):
    """All versions of one edit, and without a part those of all its parts."""

    @openapi.edit_entries
    def get(self, request: Request, code: str) -> Response:
        entries = [edit for edit in catalogue.EDITS if code in (edit.code, edit.parent)]
        if not entries:
            raise NotFound(f"There is no edit {code}")
        return _filtered(entries, request)


def _filtered(entries: Iterable[Edit], request: Request) -> Response:
    """Return the entries of the period and kind in the query, or all of them."""
    parameters = request.query_params
    period, kind = (
        _period(parameters.get("year"), parameters.get("quarter")),
        _kind(parameters.get("kind")),
    )
    edits = [
        edit
        for edit in entries
        if kind in {None, edit.kind} and (period is None or edit.runs_in(period))
    ]
    answer = {"edits": shapes.EditEntryBody(edits, many=True).data, "total": len(edits)}
    rulebooks = [
        {"dataYear": rules.year, **rules.as_json}
        for rules in unsettled_years(period.year if period else None)
    ]
    return Response(answer | ({"rulebooks": rulebooks} if rulebooks else {}))


def _kind(name: str | None) -> Kind | None:
    kinds = {kind.value: kind for kind in Kind}
    if name and name not in kinds:
        raise BadInput(f"The kind {name!r} is unknown; enter one of {', '.join(kinds)}.")
    return kinds[name] if name else None


def _period(year: str | None, quarter: str | None) -> Period | None:
    if not year:
        if quarter:
            raise BadInput(checks.QUARTER_WITHOUT_YEAR)
        return None
    if not year.isdecimal():
        raise BadInput(f"The year {year!r} is not a number such as 2024.")
    if quarter and quarter not in ("Q1", "Q2", "Q3"):
        raise BadInput(f"The quarter {quarter!r} is unknown; enter one of Q1, Q2, Q3.")
    return checks.period(year, quarter)
