"""The form in which reference data is loaded: files of several years, or one address."""

from __future__ import annotations

from typing import Any

from django import forms

from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.reference.kinds import KINDS
from filing.reference_data import loading

MOST_FILES = 20


class FilesInput(forms.FileInput):
    """Takes several files at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files, each with something in it."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Return the files, of which a form without any has none."""
        return [super(FilesField, self).clean(each, initial) for each in data or []]


class LoadForm(forms.Form):
    """Which facts, of which year or years, and where they come from."""

    kind = forms.ChoiceField(choices=[(kind.name, kind.label) for kind in KINDS.values()])
    year = forms.TypedChoiceField(
        choices=[
            ("", "As each file says"),
            *((year, str(year)) for year in range(LAST_YEAR, FIRST_YEAR - 1, -1)),
        ],
        coerce=int,
        empty_value=None,
        required=False,
        label="Data year",
        help_text="A file says its year in its first column, or else in its name.",
    )
    file = FilesField(
        required=False,
        label="Files",
        help_text=f"One file, or several of different years; at most {MOST_FILES}.",
    )
    address = forms.CharField(
        required=False,
        max_length=500,
        label="Or an address",
        help_text="An http:// or https:// address on a host that this site may fetch from.",
        widget=forms.URLInput(attrs={"class": "vTextField"}),
    )

    def clean_file(self) -> list[Any]:
        """Refuse what is too much before it is read."""
        files: list[Any] = self.cleaned_data["file"]
        if len(files) > MOST_FILES:
            raise forms.ValidationError(
                f"These are {len(files)} files; choose at most {MOST_FILES}."
            )
        for file in files:
            if file.size > loading.AT_MOST:
                raise forms.ValidationError(f"{file.name} has more than {loading.AT_MOST:,} bytes.")
        return files

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        given = [name for name in ("file", "address") if cleaned.get(name)]
        if len(given) != 1 and not self.errors:
            raise forms.ValidationError("Choose files, or enter an address: one of the two.")
        if cleaned.get("year") and len(cleaned.get("file") or ()) > 1:
            self.add_error("year", "Several files are of several years; choose: As each file says.")
        return cleaned
