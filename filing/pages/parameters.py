"""Parameters in the addresses of several pages for filers."""

from __future__ import annotations

from django.http import HttpRequest


def wants(request: HttpRequest, file_format: str) -> bool:
    """Return whether the request is for a download in this format: `csv` or `xlsx`."""
    return request.GET.get("format") == file_format
