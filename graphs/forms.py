"""The form that selects a part of a graph."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from graphs.answers import Answer
from graphs.pictures import Selection, select
from graphs.quarters import Quarter


class PartForm(forms.Form):
    """The quarters and the lines to show; all of them by default."""

    first = forms.ChoiceField(label="From", required=False)
    last = forms.ChoiceField(label="To", required=False)
    series = forms.MultipleChoiceField(
        label="Lines", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, parameters: QueryDict, answer: Answer) -> None:
        super().__init__(parameters if {"first", "last", "series"} & set(parameters) else None)
        self.answer = answer
        quarters = [(str(quarter), str(quarter)) for quarter in answer.quarters]
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

    def selection(self) -> Selection:
        """Return the selected part of the graph; reversed quarters are put in order.

        Values that are not among the choices are ignored.
        """
        values: dict[str, Any] = {}
        if self.is_bound:
            self.is_valid()
            values = self.cleaned_data
        ends = [Quarter.named(values.get(name) or "") for name in ("first", "last")]
        if all(ends):
            ends.sort()
        return select(self.answer, names=values.get("series") or (), first=ends[0], last=ends[1])
