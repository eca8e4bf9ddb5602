"""The edits reference: all edits, and one edit, as JSON and as pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.generic import View
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import PublicView
from filing.edits import catalogue
from filing.edits.edit import Edit, EditKind, EditLevel, EditNeed
from filing.edits.examples import pairs
from filing.edits.read_fields import cite_edit, fields_read, reads_as_listed
from filing.errors import BadInput, NotFound, Refusal
from filing.lar.years import EditWithdrawal, Period, describe_unsettled, unsettled_years
from filing.requests import describe_unknown_parameters
from publicapi import checks, openapi
from publicapi import serializers as shapes
from publicapi.forms import EditsReferenceForm, PeriodForm


class EditsReferencePage(View):
    """The list of edits, filtered by the form."""

    http_method_names = ["get"]

    def get(self, request: HttpRequest) -> HttpResponse:
        form = EditsReferenceForm(request.GET)
        edits: list[Edit] = []
        try:
            edits = _matching(form.cleaned_data) if form.is_valid() else []
        except Refusal as refusal:
            form.add_error("quarter", refusal.message)
        year = form.cleaned_data.get("year")
        context = {
            "form": form,
            "edits": [_list_entry(edit) for edit in edits],
            "count": len(edits),
            "notices": describe_unsettled([int(year)] if year else None),
            "unknown_parameters": describe_unknown_parameters(request.GET, form.fields),
        }
        status = 400 if form.errors else 200
        return render(request, "publicapi/edits_reference.html", context, status=status)


class EditReferencePage(View):
    """The page of one edit: each of its versions, with the years in which it runs.

    The examples are of the period in the query, if there is one and the version runs in it.
    """

    http_method_names = ["get"]

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        versions = [edit for edit in catalogue.EDITS if edit.code == code]
        if not versions:
            raise Http404
        period = _period(request.GET.get("year", ""), request.GET.get("quarter", ""))
        versions.sort(key=pairs.newest_period, reverse=True)
        versions.sort(key=lambda edit: period is None or not edit.runs_in(period))
        other_parts = {
            edit.code for edit in catalogue.EDITS if edit.parent == versions[0].parent
        } - {code}
        context = {
            "code": code,
            "versions": [_EditVersion(edit, period) for edit in versions],
            "parts": sorted(other_parts),
            "notices": describe_unsettled([period.year] if period else None),
            "unknown_parameters": describe_unknown_parameters(request.GET, PeriodForm.base_fields),
        }
        return render(request, "publicapi/edit.html", context)


@dataclass(frozen=True, slots=True)
class _EditVersion:
    """An edit in the version of some years, in the words of the page."""

    edit: Edit
    period: Period | None

    @property
    def kind(self) -> str:
        return self.edit.kind.value.capitalize()

    @property
    def looks_at(self) -> str:
        return catalogue.LOOKS_AT[self.edit.level]

    @property
    def citation(self) -> str:
        """The paragraphs of Regulation C that ask for the fields of the rule."""
        return cite_edit(self.edit)

    @property
    def fields(self) -> list[str]:
        """The fields the bureau lists, which edit details and downloads show."""
        return [catalogue.label_field(self.edit, name) for name in self.edit.fields]

    @property
    def fields_read(self) -> list[str]:
        """The fields the rule reads, if they differ from those listed."""
        if reads_as_listed(self.edit):
            return []
        return [catalogue.label_field(self.edit, name) for name in fields_read(self.edit)]

    @property
    def needs_panel(self) -> bool:
        return EditNeed.INSTITUTION in self.edit.needs

    @property
    def needs_census(self) -> bool:
        return EditNeed.CENSUS in self.edit.needs

    @property
    def of_file(self) -> bool:
        return self.edit.level is EditLevel.FILE

    @property
    def withdrawals(self) -> dict[int, EditWithdrawal]:
        """By year, why the edit is not run in it."""
        return checks.find_withdrawals(self.edit)

    @property
    def example(self) -> pairs.EditExample | None:
        return pairs.find_example(self.edit, self.period)


def _period(year: str, quarter: str) -> Period | None:
    """Return the period of a query; None if it has none.

    Raises: Http404 for a period without edits.
    """
    if not year:
        return None
    try:
        return checks.read_period(year, quarter)
    except Refusal as refusal:
        raise Http404(refusal.message) from refusal


def _matching(filters: dict[str, Any]) -> list[Edit]:
    """Return the edits that match the filters.

    Raises: BadInput for a period without edits.
    """
    period = checks.read_period(filters["year"], filters["quarter"]) if filters["year"] else None
    kind = EditKind(filters["kind"]) if filters["kind"] else None
    words = filters["q"].lower().split()
    edits = _select_edits(catalogue.EDITS, period, kind)
    return [edit for edit in edits if all(word in _text(edit) for word in words)]


def _select_edits(
    edits: Iterable[Edit], period: Period | None, kind: EditKind | None
) -> list[Edit]:
    """Return the edits of a period and kind; of all of them without one."""
    return [
        edit
        for edit in edits
        if kind in {None, edit.kind} and (period is None or edit.runs_in(period))
    ]


def _text(edit: Edit) -> str:
    labels = " ".join(catalogue.label_field(edit, name) for name in edit.fields)
    return f"{edit.code} {edit.text} {labels} {' '.join(edit.fields)}".lower()


def _list_entry(edit: Edit) -> dict[str, str]:
    return {
        "code": edit.code,
        "kind": edit.kind.value.capitalize(),
        "looks_at": catalogue.LOOKS_AT[edit.level],
        "text": edit.text,
        "periods": str(edit.filing_periods()),
    }


class EditsView(PublicView):
    """The edits reference."""

    @openapi.edit_book_schema
    def get(self, request: Request) -> Response:
        return _filtered(catalogue.EDITS, request)


class EditEntriesView(PublicView):
    """All versions of one edit, and without a part those of all its parts."""

    @openapi.edit_entries_schema
    def get(self, request: Request, code: str) -> Response:
        entries = [edit for edit in catalogue.EDITS if code in (edit.code, edit.parent)]
        if not entries:
            raise NotFound(f"There is no edit {code}")
        return _filtered(entries, request)


def _filtered(entries: Iterable[Edit], request: Request) -> Response:
    """Return the entries of the period and kind in the query, or all of them."""
    parameters = request.query_params
    period = _optional_period(parameters.get("year"), parameters.get("quarter"))
    edits = _select_edits(entries, period, _kind(parameters.get("kind")))
    answer = {"edits": shapes.EditEntryBody(edits, many=True).data, "total": len(edits)}
    rulebooks = [
        {"dataYear": rules.year, **rules.as_json}
        for rules in unsettled_years(period.year if period else None)
    ]
    return Response(answer | ({"rulebooks": rulebooks} if rulebooks else {}))


def _kind(name: str | None) -> EditKind | None:
    kinds = {kind.value: kind for kind in EditKind}
    if name and name not in kinds:
        raise BadInput(f"The kind {name!r} is unknown; enter one of {', '.join(kinds)}.")
    return kinds[name] if name else None


def _optional_period(year: str | None, quarter: str | None) -> Period | None:
    if not year:
        if quarter:
            raise BadInput(checks.QUARTER_WITHOUT_YEAR)
        return None
    if not year.isdecimal():
        raise BadInput(f"The year {year!r} is not a number such as 2024.")
    if quarter and quarter not in ("Q1", "Q2", "Q3"):
        raise BadInput(f"The quarter {quarter!r} is unknown; enter one of Q1, Q2, Q3.")
    return checks.read_period(year, quarter)
