"""The field for the reason of a staff action, and a form with only that field."""

from __future__ import annotations

from typing import Any

from django import forms

LONGEST = 2000  # characters, on pages with a limit
MISSING = "Enter a reason; one sentence for the audit log is enough."
RECORDED = "Recorded in the audit log with your name."


class Reason(forms.CharField):
    """A reason of a few lines. missing: the error for a blank one. look: a CSS class."""

    def __init__(
        self, *, missing: str = "", rows: int = 2, columns: int = 60, look: str = "", **options: Any
    ) -> None:
        attributes: dict[str, Any] = {"rows": rows, "cols": columns}
        if look:
            attributes["class"] = look
        if missing:
            options["error_messages"] = {"required": missing}
        super().__init__(widget=forms.Textarea(attrs=attributes), **options)


class ReasonForm(forms.Form):
    """A reason for the audit log."""

    reason = Reason(missing=MISSING, help_text=RECORDED)
