"""The form field of a file that staff send: it is scanned before anything else reads it."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

from django import forms
from django.core.files.uploadedfile import UploadedFile

from filing.access import Caller
from filing.errors import Refusal
from filing.scanning import scans

FormT = TypeVar("FormT", bound=forms.Form)


class ScannedFileField(forms.FileField):
    """A file that the virus scan lets pass. by: who sends it, for the audit log."""

    by: Caller | None = None

    def clean(self, data: Any, initial: Any = None) -> Any:
        file: UploadedFile | None = super().clean(data, initial)
        if file and scans.address():
            try:
                scans.require_clean(file, _facts(file), by=self.by)
            except Refusal as refusal:
                raise forms.ValidationError(refusal.message) from refusal
            finally:
                file.seek(0)
        return file


def sent_by(form: FormT, by: Caller) -> FormT:
    """Return a form whose files are sent by this caller."""
    for field in form.fields.values():
        if isinstance(field, ScannedFileField):
            field.by = by
    return form


def _facts(file: UploadedFile) -> scans.Facts:
    file.seek(0)
    digest = hashlib.sha256()
    for piece in file.chunks():
        digest.update(piece)
    file.seek(0)
    return scans.Facts(name=file.name or "", sha256=digest.hexdigest())
