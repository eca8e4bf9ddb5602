"""The field in which staff write why they do something: each page has its own words around it."""

from __future__ import annotations

from typing import Any

from django import forms

LONGEST = 2000  # characters, where a page sets a limit


class Reason(forms.CharField):
    """Why something is done, in a few lines. missing: what is said where nothing was written."""

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
    """Why it is done, where the audit log keeps it."""

    reason = Reason(
        missing="Say why: one sentence for the audit log will do.",
        help_text="Kept in the audit log with your name.",
    )
