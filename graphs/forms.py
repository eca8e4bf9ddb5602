"""Which part of a graph is looked at."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from graphs.answers import Answer
from graphs.pictures import Chosen, choose
from graphs.quarters import Quarter


class PartForm(forms.Form):
    """The stretch of time and the lines; left out, all of it."""

    first = forms.ChoiceField(label="From", required=False)
    last = forms.ChoiceField(label="To", required=False)
    series = forms.MultipleChoiceField(
        label="Lines", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, asked: QueryDict, answer: Answer) -> None:
        super().__init__(asked if {"first", "last", "series"} & set(asked) else None)
        self.answer = answer
        quarters = [(str(each), str(each)) for each in answer.quarters]
        names = [(line.name, line.name) for line in answer.series]
        fields: dict[str, Any] = self.fields
        fields["first"].choices = fields["last"].choices = quarters
        fields["series"].choices = names
        if quarters:
            self.initial = {
                "first": quarters[0][0],
                "last": quarters[-1][0],
                "series": [name for name, _ in names],
            }

    def chosen(self) -> Chosen:
        """Return the part of the graph; from its end to its beginning is taken as meant.

        What is not among the choices counts as left out.
        """
        told: dict[str, Any] = {}
        if self.is_bound:
            self.is_valid()
            told = self.cleaned_data
        ends = [Quarter.named(told.get(name) or "") for name in ("first", "last")]
        if all(ends):
            ends.sort()
        return choose(self.answer, names=told.get("series") or (), first=ends[0], last=ends[1])
