"""The web pages of the edits reference: the list of edits, and one edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.generic import View

from filing.edits import catalogue
from filing.edits.citations import citation
from filing.edits.edit import Edit, Kind, Level, Need
from filing.edits.examples import pairs
from filing.edits.read_fields import fields_read, reads_as_listed
from filing.errors import Refusal
from filing.lar.period import Period
from filing.lar.years import EditWithdrawal, describe_unsettled
from filing.requests.unknown_parameters import describe_unknown
from publicapi import checks
from publicapi.forms import EditsReferenceForm, PeriodForm


class EditsReference(View):
    """The list of edits, filtered by the form."""

    http_method_names = ["get"]

    def get(self, request: HttpRequest) -> HttpResponse:
        form = EditsReferenceForm(request.GET)
        edits: list[Edit] = []
        status = 200
        try:
            edits = _matching(form.cleaned_data) if form.is_valid() else []
        except Refusal as refusal:
            form.add_error("quarter", refusal.message)
        if form.errors:
            status = 400
        year = form.cleaned_data.get("year")
        context = {
            "form": form,
            "edits": [_list_entry(edit) for edit in edits],
            "count": len(edits),
            "notices": describe_unsettled([int(year)] if year else None),
            "unknown_parameters": describe_unknown(request.GET, form.fields),
        }
        return render(request, "publicapi/edits_reference.html", context, status=status)


class EditPage(View):
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
            "unknown_parameters": describe_unknown(request.GET, PeriodForm.base_fields),
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
        return citation(self.edit)

    @property
    def fields(self) -> list[str]:
        """The fields the bureau lists, which edit details and downloads show."""
        return [catalogue.label(self.edit, name) for name in self.edit.fields]

    @property
    def fields_read(self) -> list[str]:
        """The fields the rule reads, if they differ from those listed."""
        if reads_as_listed(self.edit):
            return []
        return [catalogue.label(self.edit, name) for name in fields_read(self.edit)]

    @property
    def needs_panel(self) -> bool:
        return Need.INSTITUTION in self.edit.needs

    @property
    def needs_census(self) -> bool:
        return Need.CENSUS in self.edit.needs

    @property
    def of_file(self) -> bool:
        return self.edit.level is Level.FILE

    @property
    def withdrawals(self) -> dict[int, EditWithdrawal]:
        """By year, why the edit is not run in it."""
        return checks.withdrawals(self.edit)

    @property
    def example(self) -> pairs.Example | None:
        return pairs.example(self.edit, self.period)


def _period(year: str, quarter: str) -> Period | None:
    """Return the period of a query; None if it has none.

    Raises: Http404 for a period without edits.
    """
    if not year:
        return None
    try:
        return checks.period(year, quarter)
    except Refusal as refusal:
        raise Http404(refusal.message) from refusal


def _matching(filters: dict[str, Any]) -> list[Edit]:
    """Return the edits that match the filters.

    Raises: BadInput for a period without edits.
    """
    period = checks.period(filters["year"], filters["quarter"]) if filters["year"] else None
    kind = Kind(filters["kind"]) if filters["kind"] else None
    words = filters["q"].lower().split()
    return [
        edit
        for edit in catalogue.EDITS
        if kind in {None, edit.kind}
        and (period is None or edit.runs_in(period))
        and all(word in _text(edit) for word in words)
    ]


def _text(edit: Edit) -> str:
    labels = " ".join(catalogue.label(edit, name) for name in edit.fields)
    return f"{edit.code} {edit.text} {labels} {' '.join(edit.fields)}".lower()


def _list_entry(edit: Edit) -> dict[str, str]:
    return {
        "code": edit.code,
        "kind": edit.kind.value.capitalize(),
        "looks_at": catalogue.LOOKS_AT[edit.level],
        "text": edit.text,
        "periods": str(edit.filing_periods()),
    }
