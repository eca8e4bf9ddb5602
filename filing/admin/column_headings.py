"""Headings of spreadsheet columns, which operators match to fields for all files."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin

from filing.admin.guarded import GuardedAdmin
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.models import ColumnHeading
from filing.spreadsheets.field_lists import LOAN_ID, qualify_name
from filing.spreadsheets.matching import find_label
from filing.spreadsheets.names import list_known_names
from filing.spreadsheets.sheet_rows import fold_name


def _choices() -> list[tuple[str, Any]]:
    sheet = [(qualify_name(field), field.label) for field in TRANSMITTAL_SHEET]
    return [
        ("Loans", [(field.name, f"{field.number}. {field.label}") for field in LAR]),
        ("To make ULIs from", [(LOAN_ID, find_label(LOAN_ID))]),
        ("Transmittal sheet", sheet),
    ]


class ColumnHeadingForm(forms.ModelForm):
    """A heading that is not known yet, and its field."""

    field = forms.ChoiceField(
        choices=_choices, help_text="What the column has in every file with this heading."
    )

    class Meta:
        model = ColumnHeading
        fields = ["heading", "field", "source"]

    def clean_heading(self) -> str:
        """Refuse a heading without letters, and one that has a field already."""
        heading = " ".join(self.cleaned_data["heading"].split())
        folded = fold_name(heading)
        if not folded or folded.isdecimal():
            raise forms.ValidationError("Enter a heading with letters.")
        known = list_known_names().get(folded)
        if known and folded != self.instance.folded:
            raise forms.ValidationError(f"{heading} is already matched to {find_label(known)}.")
        others = ColumnHeading.objects.exclude(pk=self.instance.pk)
        if others.filter(folded=folded).exists():  # since the names were read
            raise forms.ValidationError(f"{heading} has just been added.")
        return heading


@admin.register(ColumnHeading)
class ColumnHeadingAdmin(GuardedAdmin):
    """Headings that staff added. The LAR formatting tool takes them into account at once."""

    form = ColumnHeadingForm
    list_display = ["heading", "field_label", "source"]
    list_filter = ["source"]
    search_fields = ["heading", "field", "source"]
    search_help_text = "Search by heading, name of the field or source."
    show_full_result_count = False

    @admin.display(description="field", ordering="field")
    def field_label(self, row: ColumnHeading) -> str:
        return find_label(row.field)
