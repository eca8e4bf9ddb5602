"""Parameters in the addresses of several pages for filers."""

from __future__ import annotations

from django.http import HttpRequest


def wants(request: HttpRequest, file_format: str) -> bool:
    """Return whether the request is for a download in this format: `csv` or `xlsx`."""
    return request.GET.get("format") == file_format


def in_format(request: HttpRequest, what: str) -> str:
    """Return what a request is for, with the format of a download: `all edits as CSV`."""
    formats = [each for each in ("csv", "xlsx") if wants(request, each)]
    return f"{what} as {formats[0].upper()}" if formats else what
