"""The forms of the rate spread page and of loading a table in the admin."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.formats import date_format

from filing.reference.listing import BadLines
from filing.scanning import ScannedFileField
from ratespread import loading
from ratespread.models import AporKind

_TABLE_BYTES = 2 << 20
_SALT = "apor table that was previewed"
_PREVIEW_SECONDS = 3600
_SHOWN_FAULTS = 20


_ACTIONS = [
    (1, "1: Loan originated"),
    (2, "2: Application approved but not accepted"),
    (3, "3: Application denied"),
    (4, "4: Application withdrawn by applicant"),
    (5, "5: File closed for incompleteness"),
    (6, "6: Purchased loan"),
    (7, "7: Preapproval request denied"),
    (8, "8: Preapproval request approved but not accepted"),
]
_FIRST_DAY = date(2017, 1, 2)
_IN_WORDS = "F j, Y"  # clear beside the date control of any browser, which has its own format
_TERM_LABELS = {
    "FixedRate": "Loan term in years",
    "VariableRate": "Years to first adjustment",
}


class RateSpreadForm(forms.Form):
    """The loan to compute a rate spread for, with the field names of the API."""

    actionTakenType = forms.TypedChoiceField(
        choices=_ACTIONS, coerce=int, initial=1, label="Action taken"
    )
    reverseMortgage = forms.TypedChoiceField(
        choices=[(2, "2: No"), (1, "1: Yes"), (1111, "1111: Exempt")],
        coerce=int,
        initial=2,
        label="Reverse mortgage",
    )
    amortizationType = forms.ChoiceField(
        choices=[("FixedRate", "Fixed rate"), ("VariableRate", "Variable rate")],
        label="Amortization type",
    )
    loanTerm = forms.IntegerField(
        min_value=1,
        max_value=50,
        label=_TERM_LABELS["FixedRate"],
        help_text="1 to 50. For a variable rate, the years to its first adjustment; 1 if less.",
    )
    apr = forms.DecimalField(
        min_value=0,
        max_value=Decimal("99.999"),
        label="Annual percentage rate (APR)",
        help_text="In percent, such as 6.125.",
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    lockInDate = forms.DateField(
        label="Rate set date",
        help_text=(
            "The date the rate was last set, or the lock-in date, "
            f"from {date_format(_FIRST_DAY, _IN_WORDS)} to today."
        ),
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        term, day = self.fields["loanTerm"], self.fields["lockInDate"]
        amortization = self.data.get("amortizationType", "")
        term.label = _TERM_LABELS.get(amortization, _TERM_LABELS["FixedRate"])
        term.widget.attrs |= {f"data-{word.lower()}": text for word, text in _TERM_LABELS.items()}
        day.widget.attrs |= {"min": str(_FIRST_DAY), "max": str(timezone.localdate())}

    def clean_lockInDate(self) -> date:  # noqa: N802
        day: date = self.cleaned_data["lockInDate"]
        today = timezone.localdate()
        if not _FIRST_DAY <= day <= today:
            first, last = (date_format(day, _IN_WORDS) for day in (_FIRST_DAY, today))
            raise forms.ValidationError(f"Choose a date from {first} to today, {last}.")
        return day

    def loan(self) -> dict[str, str]:
        """Return the loan as the API accepts it, with the digits as entered."""
        return {name: str(value) for name, value in self.cleaned_data.items()}


class AporTableForm(forms.Form):
    """A table to preview before it is loaded."""

    file = ScannedFileField(
        help_text="Lines with a date and 50 rates, separated by |, as published."
    )
    kind = forms.ChoiceField(
        choices=[("", "as in the file name"), *AporKind.choices],
        required=False,
        label="Rates",
        help_text="Fixed and variable rates are in separate tables.",
    )

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or {}
        file: UploadedFile | None = cleaned.get("file")
        if file is None:
            return cleaned
        name = (file.name or "")[:255]
        if (file.size or 0) > _TABLE_BYTES:
            self.add_error("file", f"The file is larger than {_TABLE_BYTES} bytes.")
            return cleaned
        try:
            kind = AporKind(cleaned["kind"]) if cleaned.get("kind") else loading.find_kind(name)
            data = file.read()
            cleaned["table"] = loading.read_apor_table(data, kind=kind, source=name)
        except loading.UnknownKind as error:
            self.add_error("kind", str(error))
        except BadLines as error:
            lines = [str(line)[:300] for line in error.lines[:_SHOWN_FAULTS]]
            self.add_error("file", [*lines, f"Nothing can be loaded: {error.summary}."])
        else:
            table = {"kind": kind.value, "name": name, "text": data.decode()}
            cleaned["signed"] = signing.dumps(table, salt=_SALT, compress=True)
        return cleaned


class AporLoadForm(forms.Form):
    """A previewed table, and the reason for loading it."""

    signed = forms.CharField(widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        help_text="Kept with the load.",
    )

    def clean_signed(self) -> loading.AporFile:
        try:
            table = signing.loads(self.cleaned_data["signed"], salt=_SALT, max_age=_PREVIEW_SECONDS)
        except signing.BadSignature:
            raise forms.ValidationError("The preview has expired; choose the file again.") from None
        data = table["text"].encode()
        return loading.read_apor_table(data, kind=AporKind(table["kind"]), source=table["name"])
