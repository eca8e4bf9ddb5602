"""The addresses of the edits reference: what anyone may look up."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import PublicView
from filing.edits import catalogue
from filing.edits.edit import Edit, Kind
from filing.errors import BadInput, NotFound
from filing.lar.period import Period
from publicapi import checks, openapi
from publicapi import serializers as shapes


class Edits(PublicView):
    """The edits reference."""

    @openapi.edit_book
    def get(self, request: Request) -> Response:
        return _book(catalogue.EDITS, request)


class EditEntries(PublicView):
    """All that the book says of one edit."""

    @openapi.edit_entries
    def get(self, request: Request, code: str) -> Response:
        entries = [edit for edit in catalogue.EDITS if edit.code == code]
        if not entries:
            raise NotFound(f"There is no edit {code}")
        return _book(entries, request)


def _book(entries: Iterable[Edit], request: Request) -> Response:
    """Return the entries that are of the period and of the kind asked for, if any are."""
    asked = request.query_params
    period, kind = _period(asked.get("year"), asked.get("quarter")), _kind(asked.get("kind"))
    chosen = [
        edit
        for edit in entries
        if kind in {None, edit.kind} and (period is None or edit.runs_in(period))
    ]
    return Response({"edits": shapes.EditEntryBody(chosen, many=True).data, "total": len(chosen)})


def _kind(name: str | None) -> Kind | None:
    kinds = {kind.value: kind for kind in Kind}
    if name and name not in kinds:
        raise BadInput(f"The kind {name!r} is unknown: it is one of {', '.join(kinds)}.")
    return kinds[name] if name else None


def _period(year: str | None, quarter: str | None) -> Period | None:
    if not year:
        if quarter:
            raise BadInput("A quarter needs its year, such as year=2024&quarter=Q1.")
        return None
    if not year.isdecimal():
        raise BadInput(f"The year {year!r} is not a number such as 2024.")
    if quarter and quarter not in ("Q1", "Q2", "Q3"):
        raise BadInput(f"The quarter {quarter!r} is unknown: it is one of Q1, Q2, Q3.")
    return checks.period(year, quarter)
