"""Forms of the pages and of the admin."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core import signing
from django.core.files.uploadedfile import UploadedFile

from filing.reference.listing import BadLines
from ratespread import loading
from ratespread.models import Kind

_TABLE_BYTES = 2 << 20
_SALT = "apor table that was previewed"
_PREVIEW_SECONDS = 3600
_SHOWN_FAULTS = 20


class TableForm(forms.Form):
    """A table that is to be looked at before it is loaded."""

    file = forms.FileField(help_text="Lines of a date and 50 rates, with | between, as published.")
    kind = forms.ChoiceField(
        choices=[("", "as the file's name says"), *Kind.choices],
        required=False,
        label="Rates",
        help_text="Fixed and variable rates have a table each.",
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
            kind = Kind(cleaned["kind"]) if cleaned.get("kind") else loading.kind_of(name)
            data = file.read()
            cleaned["table"] = loading.read(data, kind=kind, source=name)
        except loading.UnknownKind as error:
            self.add_error("kind", str(error))
        except BadLines as error:
            lines = [str(line)[:300] for line in error.lines[:_SHOWN_FAULTS]]
            self.add_error("file", [*lines, f"Nothing can be loaded: {error.summary}."])
        else:
            sent = {"kind": kind.value, "name": name, "text": data.decode()}
            cleaned["signed"] = signing.dumps(sent, salt=_SALT, compress=True)
        return cleaned


class LoadForm(forms.Form):
    """A table that was looked at, and why it is loaded."""

    signed = forms.CharField(widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        help_text="Kept with the load.",
    )

    def clean_signed(self) -> loading.File:
        try:
            sent = signing.loads(self.cleaned_data["signed"], salt=_SALT, max_age=_PREVIEW_SECONDS)
        except signing.BadSignature:
            raise forms.ValidationError("The preview is too old: choose the file again.") from None
        data = sent["text"].encode()
        return loading.read(data, kind=Kind(sent["kind"]), source=sent["name"])
