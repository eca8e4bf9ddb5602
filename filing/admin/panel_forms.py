"""The forms of the panel: import, confirmation, carrying over, export."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from import_export.formats.base_formats import CSV, XLSX

from filing.admin.reasons import LONGEST, Reason
from filing.lar.fields import AGENCIES, STATES
from filing.lar.years import Stage, supported_years
from filing.panel import sheets
from filing.scanning.forms import ScannedFileField
from filing.seasons.choice import Choice

WHY = Reason(
    label="Reason",
    max_length=LONGEST,
    columns=80,
    help_text="Recorded with every change; all staff can read it.",
)


class UploadForm(forms.Form):
    """A panel file."""

    file = ScannedFileField(
        label="Panel file",
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx"}),
        help_text="CSV in UTF-8, or XLSX with one sheet.",
    )

    def clean_file(self) -> Any:
        """Refuse a file that is too large, before it is read."""
        file = self.cleaned_data["file"]
        if file.size > sheets.MOST_BYTES:
            raise forms.ValidationError(
                f"{file.name} is larger than {sheets.MOST_BYTES // 1024**2} MB. Split it, and "
                "import the parts."
            )
        return file


class ConfirmForm(forms.Form):
    """The reason for importing a previewed file."""

    ticket = forms.CharField(widget=forms.HiddenInput)
    reason = WHY


class CarryForm(forms.Form):
    """The years to carry over from and to, and which institutions."""

    from_year = forms.TypedChoiceField(label="From", coerce=int)
    to_year = forms.TypedChoiceField(label="To", coerce=int)
    agencies = forms.TypedMultipleChoiceField(
        label="Agencies",
        coerce=int,
        required=False,
        choices=[(code, f"{code} {name}") for code, name in AGENCIES.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="Leave all clear for all agencies.",
    )
    states = forms.CharField(
        required=False,
        help_text="Two-letter codes separated by commas, such as CA, NY. Leave blank for all.",
        widget=forms.TextInput(attrs={"size": 40}),
    )
    quarterly_only = forms.BooleanField(label="Quarterly filers only", required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        years = [(year, year) for year in reversed(supported_years(Stage.DRAFT))]
        for name in ("from_year", "to_year"):
            cast(forms.ChoiceField, self.fields[name]).choices = years

    def clean_states(self) -> tuple[str, ...]:
        """Refuse unknown states, which would select no institution."""
        states = self.cleaned_data["states"].upper().replace(",", " ").split()
        if unknown := [state for state in states if state not in STATES]:
            raise forms.ValidationError(
                f"Unknown state: {', '.join(unknown)}. Enter two-letter codes, such as CA, NY."
            )
        return tuple(dict.fromkeys(states))

    @property
    def choice(self) -> Choice:
        return Choice(
            agencies=tuple(self.cleaned_data["agencies"]),
            states=self.cleaned_data["states"],
            quarterly_only=self.cleaned_data["quarterly_only"],
        )


class CarryReasonForm(forms.Form):
    """The second step: the reason. seen: the report of the preview that is confirmed."""

    seen = forms.CharField(widget=forms.HiddenInput)
    reason = WHY


class ExportForm(forms.Form):
    """The format of an export: CSV or XLSX."""

    FORMATS = {"csv": CSV, "xlsx": XLSX}

    format = forms.ChoiceField(
        choices=[("csv", "CSV"), ("xlsx", "XLSX (Excel)")], initial="csv", widget=forms.RadioSelect
    )
