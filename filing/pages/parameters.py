"""Parameters that several pages of filers take in their addresses."""

from __future__ import annotations

from django.http import HttpRequest


def wants(request: HttpRequest, form: str) -> bool:
    """Return whether a page is asked for in a form to be saved: `csv` or `xlsx`."""
    return request.GET.get("format") == form
