"""The forms of the panel: a file, why it is imported, what is carried over, how it is exported."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from import_export.formats.base_formats import CSV, XLSX

from filing.admin.reasons import LONGEST, Reason
from filing.lar.fields import AGENCIES, STATES
from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.panel import sheets
from filing.seasons.choice import Choice

WHY = Reason(
    label="Why",
    max_length=LONGEST,
    columns=80,
    help_text="Kept with every change, where all staff can read it.",
)


class UploadForm(forms.Form):
    """A panel file."""

    file = forms.FileField(
        label="Panel file",
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx"}),
        help_text="CSV in UTF-8, or XLSX with one sheet.",
    )

    def clean_file(self) -> Any:
        """Refuse a file by its size before it is read."""
        file = self.cleaned_data["file"]
        if file.size > sheets.MOST_BYTES:
            raise forms.ValidationError(
                f"{file.name} has more than {sheets.MOST_BYTES // 1024**2} MB. Import it in parts."
            )
        return file


class ConfirmForm(forms.Form):
    """Why the file of a preview is imported."""

    ticket = forms.CharField(widget=forms.HiddenInput)
    reason = WHY


class CarryForm(forms.Form):
    """From which year to which, which institutions, and why. seen: what the preview said."""

    from_year = forms.TypedChoiceField(label="From", coerce=int)
    to_year = forms.TypedChoiceField(label="To", coerce=int)
    agencies = forms.TypedMultipleChoiceField(
        label="Agencies",
        coerce=int,
        required=False,
        choices=[(code, f"{code} {name}") for code, name in AGENCIES.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all of them.",
    )
    states = forms.CharField(
        required=False,
        help_text="Two letters each, commas between; blank: all of them.",
        widget=forms.TextInput(attrs={"size": 40}),
    )
    quarterly_only = forms.BooleanField(label="Quarterly filers only", required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        years = [(year, year) for year in range(LAST_YEAR, FIRST_YEAR - 1, -1)]
        for name in ("from_year", "to_year"):
            cast(forms.ChoiceField, self.fields[name]).choices = years

    def clean_states(self) -> tuple[str, ...]:
        """Refuse what is no state, which would else choose nobody."""
        words = self.cleaned_data["states"].upper().replace(",", " ").split()
        if wrong := [word for word in words if word not in STATES]:
            raise forms.ValidationError(f"{', '.join(wrong)}: no such state. Write CA, NY.")
        return tuple(dict.fromkeys(words))

    @property
    def choice(self) -> Choice:
        return Choice(
            agencies=tuple(self.cleaned_data["agencies"]),
            states=self.cleaned_data["states"],
            quarterly_only=self.cleaned_data["quarterly_only"],
        )


class CarryReasonForm(forms.Form):
    """The second step: why, and what was seen."""

    seen = forms.CharField(widget=forms.HiddenInput)
    reason = WHY


class ExportForm(forms.Form):
    """CSV or XLSX."""

    FORMATS = {"csv": CSV, "xlsx": XLSX}

    format = forms.ChoiceField(
        choices=[("csv", "CSV"), ("xlsx", "XLSX (Excel)")], initial="csv", widget=forms.RadioSelect
    )
