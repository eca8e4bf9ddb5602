"""The edits reference as web pages: all edits, and one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.generic import View

from filing.edits import catalogue
from filing.edits.edit import Edit, Kind, Level, Need
from filing.edits.examples import pairs
from filing.edits.reading import fields_read, reads_as_listed
from filing.errors import Refusal
from publicapi import checks
from publicapi.forms import BookForm


class Book(View):
    """The list of edits, or those that are asked for."""

    http_method_names = ["get"]

    def get(self, request: HttpRequest) -> HttpResponse:
        form = BookForm(request.GET)
        edits: list[Edit] = []
        status = 200
        try:
            edits = _chosen(form.cleaned_data) if form.is_valid() else []
        except Refusal as refusal:
            form.add_error("quarter", refusal.message)
        if form.errors:
            status = 400
        shown = {"form": form, "edits": [_listed(edit) for edit in edits], "count": len(edits)}
        return render(request, "publicapi/book.html", shown, status=status)


class Entry(View):
    """All that the book says of one edit: each of its forms, with the years in which it ran."""

    http_method_names = ["get"]

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        forms = [edit for edit in catalogue.EDITS if edit.code == code]
        if not forms:
            raise Http404
        forms.sort(key=pairs.newest_period, reverse=True)
        parts = {edit.code for edit in catalogue.EDITS if edit.parent == forms[0].parent} - {code}
        shown = {
            "code": code,
            "forms": [_Form(edit) for edit in forms],
            "parts": sorted(parts),
        }
        return render(request, "publicapi/edit.html", shown)


@dataclass(frozen=True, slots=True)
class _Form:
    """An edit as it stands in some years, in the words of the page."""

    edit: Edit

    @property
    def kind(self) -> str:
        return self.edit.kind.value.capitalize()

    @property
    def looks_at(self) -> str:
        return catalogue.LOOKS_AT[self.edit.level]

    @property
    def fields(self) -> list[str]:
        """The fields that the bureau lists, which details and downloads show."""
        return [catalogue.label(self.edit, name) for name in self.edit.fields]

    @property
    def fields_read(self) -> list[str]:
        """The fields that the rule reads, where they are not the same."""
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
    def example(self) -> pairs.Example | None:
        return pairs.example(self.edit)


def _chosen(asked: dict[str, Any]) -> list[Edit]:
    """Return the edits that are asked for.

    Raises: BadInput for a period without any.
    """
    period = checks.period(asked["year"], asked["quarter"]) if asked["year"] else None
    kind = Kind(asked["kind"]) if asked["kind"] else None
    words = asked["q"].lower().split()
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


def _listed(edit: Edit) -> dict[str, str]:
    return {
        "code": edit.code,
        "kind": edit.kind.value.capitalize(),
        "looks_at": catalogue.LOOKS_AT[edit.level],
        "text": edit.text,
        "periods": str(edit.periods),
    }
