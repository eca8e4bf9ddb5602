"""The form to load reference data: files of several years, or an address."""

from __future__ import annotations

from typing import Any

from django import forms

from filing.lar.years import Stage, supported_years
from filing.reference.kinds import KINDS
from filing.reference_data import loading
from filing.scanning.forms import ScannedFileField

MAX_FILES = 20


class FilesInput(forms.FileInput):
    """A file input for several files."""

    allow_multiple_selected = True


class FilesField(ScannedFileField):
    """Any number of files, none of them empty."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Return the files; an empty list if none were sent."""
        return [super(FilesField, self).clean(file, initial) for file in data or []]


def _years() -> list[tuple[int | str, str]]:
    years = reversed(supported_years(Stage.DRAFT))
    return [("", "As in each file"), *((year, str(year)) for year in years)]


class LoadForm(forms.Form):
    """The kind of reference data, its year, and its files or address."""

    kind = forms.ChoiceField(choices=[(kind.name, kind.label) for kind in KINDS.values()])
    year = forms.TypedChoiceField(
        choices=_years,
        coerce=int,
        empty_value=None,
        required=False,
        label="Data year",
        help_text="The year is in the first column of a file, or in its name.",
    )
    file = FilesField(
        required=False,
        label="Files",
        help_text=f"Choose one file, or several of different years; at most {MAX_FILES}.",
    )
    address = forms.CharField(
        required=False,
        max_length=500,
        label="Or an address",
        help_text="An http:// or https:// address on a host that this site may fetch from.",
        widget=forms.URLInput(attrs={"class": "vTextField"}),
    )

    def clean_file(self) -> list[Any]:
        """Refuse too many or too large files, before they are read."""
        files: list[Any] = self.cleaned_data["file"]
        if len(files) > MAX_FILES:
            raise forms.ValidationError(
                f"You chose {len(files)} files; choose at most {MAX_FILES}."
            )
        for file in files:
            if file.size > loading.MAX_BYTES:
                raise forms.ValidationError(
                    f"{file.name} is larger than {loading.MAX_BYTES:,} bytes, the most accepted."
                )
        return files

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        sources = [name for name in ("file", "address") if cleaned.get(name)]
        if len(sources) != 1 and not self.errors:
            raise forms.ValidationError("Either choose files or enter an address.")
        if cleaned.get("year") and len(cleaned.get("file") or ()) > 1:
            self.add_error("year", "For several files, select “As in each file”.")
        return cleaned
