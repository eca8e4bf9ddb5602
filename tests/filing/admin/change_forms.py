"""The fields of a change form of the admin, as a browser would send them back."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.utils import timezone

from filing import day_hours


def fields_of(client: Any, address: str = "") -> dict[str, Any]:
    """Return the fields of a page of the admin: of an answer, or of an address to open."""
    answer = client.get(address) if isinstance(client, Client) else client
    form = answer.context["adminform"].form
    sent: dict[str, Any] = {}
    for bound in form:
        widget, value = bound.field.widget, bound.value()
        if hasattr(widget, "decompress"):
            with timezone.override(day_hours.filing_zone()):  # that of the page
                values = value if isinstance(value, list) else widget.decompress(value)
            texts = [
                part.format_value(each) or ""
                for part, each in zip(widget.widgets, values, strict=True)
            ]
            sent |= {f"{bound.html_name}_{number}": text for number, text in enumerate(texts)}
        elif isinstance(value, bool) or value is None:
            sent |= {bound.html_name: "on"} if value else {}
        elif not bound.field.disabled:
            sent[bound.html_name] = bound.field.prepare_value(value)
    for inline in answer.context["inline_admin_formsets"]:
        prefix = inline.formset.prefix
        sent |= {f"{prefix}-TOTAL_FORMS": "0", f"{prefix}-INITIAL_FORMS": "0"}
    return sent


def loaded(client: Client, address: str) -> dict[str, str]:
    """Return the field with which a form says what it loaded."""
    return {"loaded": client.get(address).context["adminform"].form["loaded"].value()}
