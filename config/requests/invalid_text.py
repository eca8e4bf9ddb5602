"""Refuses requests whose address, headers or cookies are not valid text.

PostgreSQL and file systems cannot store a NUL, and bytes that are not UTF-8 would reach a search as
characters that were never sent. Bodies are checked where they are read: a file is data, and a form
shows the error beside its field.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.core.handlers.wsgi import get_bytes_from_wsgi
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.errors import handlers
from filing.models.storable import is_storable

# NUL and the halves of surrogate pairs as JavaScript's escape() writes them. Source: ECMA-262,
# section B.2.1.1.
_ESCAPED = re.compile(rb"%u(0000|d[89a-f][0-9a-f]{2})", re.IGNORECASE)
_ACCEPTED = "send UTF-8 text, percent-encoded, without NUL characters."


def refuse_invalid_text(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 400 to text that cannot be stored (a middleware, before all that read requests)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        if problem := _problem(request):
            return handlers.bad_request(request, BadRequest(problem))
        return get_response(request)

    return respond


def _problem(request: HttpRequest) -> str:
    """Return what is wrong, where, and what is accepted; blank where nothing is."""
    # In a path the framework writes bytes that are not UTF-8 as they were sent, percent-encoded.
    if not _is_text(request.path.encode(errors="surrogatepass")):
        return f"The path holds a NUL character or bytes that are not UTF-8; {_ACCEPTED}"
    if not _is_text(get_bytes_from_wsgi(request.META, "QUERY_STRING", "")):
        return f"The query holds a NUL character or bytes that are not UTF-8; {_ACCEPTED}"
    for name, value in request.META.items():
        if name.startswith("HTTP_") and "\0" in value:
            return f"The header {_header(name)} holds a NUL character; send it without."
    if not is_storable(request.COOKIES):  # quoted ones may write it as \000
        return (
            "A cookie holds a NUL character; send it without, or delete the cookies of this site."
        )
    return ""


def _is_text(encoded: bytes) -> bool:
    try:
        return not _ESCAPED.search(encoded) and "\0" not in unquote_to_bytes(encoded).decode()
    except UnicodeDecodeError:
        return False


def _header(name: str) -> str:
    return name.removeprefix("HTTP_").replace("_", "-").title()
