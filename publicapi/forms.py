"""The forms of the pages that check lines and files, and of the edits reference."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.utils import timezone

from filing.edits.edit import EditKind
from filing.lar.years import (
    FIRST_QUARTERLY_YEAR,
    QUARTERS,
    describe_unsettled,
    filing_years,
    supported_years,
    year_filed_on,
)

LINES_AT_MOST = 20
_QUARTERS = [(f"Q{number}", f"Q{number}") for number in QUARTERS]


def find_year_filed_now() -> int:
    """Return the year whose data are filed now."""
    return year_filed_on(timezone.localdate())


def _years() -> list[tuple[str, str]]:
    return [(str(year), filing_years()[year].label) for year in reversed(supported_years())]


def _years_or_all() -> list[tuple[str, str]]:
    return [("", "All years"), *_years()]


class PeriodForm(forms.Form):
    """The filing period whose edits are run."""

    year = forms.ChoiceField(choices=_years, initial=find_year_filed_now, label="Data year")
    quarter = forms.ChoiceField(
        choices=[("", "Whole year"), *_QUARTERS],
        required=False,
        label="Quarter",
        help_text=f"For quarterly filings, {FIRST_QUARTERLY_YEAR} and later.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["year"].help_text = " ".join(describe_unsettled())


class LinesForm(PeriodForm):
    """A few lines of a file."""

    lines = forms.CharField(
        label="Lines",
        help_text=(
            f"Up to {LINES_AT_MOST} lines of your file, with | between the fields. If the first is "
            "the transmittal sheet, the others are compared with it."
        ),
        widget=forms.Textarea(
            attrs={"rows": 6, "wrap": "off", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    field_order = ["lines", "year", "quarter"]

    def clean_lines(self) -> list[str]:
        lines = re.split(r"\r\n|\r|\n", self.cleaned_data["lines"])
        lines = [line for line in lines if line.strip()]
        if len(lines) > LINES_AT_MOST:
            raise forms.ValidationError(
                f"There are {len(lines)} lines; enter at most {LINES_AT_MOST}. To check more, use "
                "the page Check a file."
            )
        return lines


class EditsReferenceForm(forms.Form):
    """The filters of the edits reference."""

    q = forms.CharField(
        required=False,
        label="Code or words",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        max_length=200,
    )
    year = forms.ChoiceField(choices=_years_or_all, required=False, label="Year")
    quarter = forms.ChoiceField(
        choices=[("", "Whole year"), *_QUARTERS], required=False, label="Quarter"
    )
    kind = forms.ChoiceField(
        choices=[("", "All kinds"), *((kind.value, kind.value.capitalize()) for kind in EditKind)],
        required=False,
        label="Kind",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("quarter") and not cleaned.get("year"):
            self.add_error("year", "Choose a year for the quarter.")
        return cleaned
