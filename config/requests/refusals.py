"""Requests that are not answered as they came: unreadable, without TLS, with invalid text, without
a length, or a slash short.

An API call without TLS is refused, as a redirect would hide the mistake: the program would go on
working and send its token unencrypted every time. Pages are redirected.

PostgreSQL and file systems cannot store a NUL, and bytes that are not UTF-8 would reach a search as
characters that were never sent. Bodies are checked where they are read: a file is data, and a form
shows the error beside its field.

A body that was refused unread is read and dropped after the answer, so that its sender sees why: a
connection that is closed with unread bytes is reset, and a caller that is still sending would never
see the answer. Source: RFC 9112, section 9.6.
"""

from __future__ import annotations

import re
import time
from functools import partial
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.core.exceptions import BadRequest
from django.core.handlers.wsgi import get_bytes_from_wsgi
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware

from config.errors import handlers
from config.errors.handlers import error_body, find_api_area
from config.limits import middleware
from config.requests.clients import has_trusted_peer
from config.requests.middleware import UNREADABLE, Handler
from filing.storable_text import is_storable

# NUL and the halves of surrogate pairs as JavaScript's escape() writes them. Source: ECMA-262,
# section B.2.1.1.
_ESCAPED = re.compile(rb"%u(0000|d[89a-f][0-9a-f]{2})", re.IGNORECASE)
_ACCEPTED = "send UTF-8 text, percent-encoded, without NUL characters."
PLAIN_HTTP_REFUSAL = (
    "This API answers over https only. If you sent a token, others may have read it: revoke it, "
    "and correct the address."
)
SILENCE_SECONDS = 30  # without a byte, after which a caller who calls without a proxy is given up
DROP_SILENCE_SECONDS = 2  # the same once it has its answer
ANONYMOUS_BODY_BYTES = 16 * 1024**2  # of a caller who is not authenticated
LEAST_SECONDS = 60  # that a caller has to finish sending, and one more for each
BYTES_PER_SECOND = 100_000  # of a body that may be long
CHUNK = 1 << 20
REDIRECTED_METHODS = frozenset({"GET", "HEAD"})


def refuse_calls_without_tls(get_response: Handler) -> Handler:
    """Refuse API calls over http, where pages are redirected (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        is_plain = settings.SECURE_SSL_REDIRECT and not request.is_secure()
        if not is_plain or find_api_area(request.path) is None or _is_exempt(request.path):
            return get_response(request)
        return JsonResponse(error_body(request, 403, PLAIN_HTTP_REFUSAL), status=403)

    return respond


def _is_exempt(path: str) -> bool:
    exempt = settings.SECURE_REDIRECT_EXEMPT
    return any(re.search(pattern, path.removeprefix("/")) for pattern in exempt)


def refuse_unreadable_requests(get_response: Handler) -> Handler:
    """Answer what the web server could not read (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        if refusal := request.META.get(UNREADABLE):
            response = handlers.answer_unreadable(request, *refusal)
            response["Content-Length"] = len(response.content)  # its version of HTTP is unknown
            return response
        return get_response(request)

    return respond


def refuse_invalid_text(get_response: Handler) -> Handler:
    """Answer 400 to text that cannot be stored (a middleware, before all that read requests)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        if problem := _find_problem(request):
            return handlers.answer_bad_request(request, BadRequest(problem))
        return get_response(request)

    return respond


def _find_problem(request: HttpRequest) -> str:
    """Return what is wrong, where, and what is accepted; blank where nothing is."""
    # In a path the framework writes bytes that are not UTF-8 as they were sent, percent-encoded.
    if not _is_text(request.path.encode(errors="surrogatepass")):
        return f"The path holds a NUL character or bytes that are not UTF-8; {_ACCEPTED}"
    if not _is_text(get_bytes_from_wsgi(request.META, "QUERY_STRING", "")):
        return f"The query holds a NUL character or bytes that are not UTF-8; {_ACCEPTED}"
    for name, value in request.META.items():
        if name.startswith("HTTP_") and "\0" in value:
            header = name.removeprefix("HTTP_").replace("_", "-").title()
            return f"The header {header} holds a NUL character; send it without."
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


def refuse_bodies_without_length(get_response: Handler) -> Handler:
    """Answer 411 to a body that is sent in chunks (a middleware).

    The limit of an address is checked against the length, before the body is read; what has none
    would be taken for a request without a body. A proxy that holds bodies until they are whole, as
    the shipped one does but where large files are sent, says their length itself.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        if "HTTP_TRANSFER_ENCODING" in request.META:
            return handlers.answer_unreadable(request, 411, handlers.LENGTH_MISSING)
        return get_response(request)

    return respond


class TrailingSlashes(CommonMiddleware):
    """Redirects to the page whose trailing slash was left out (a middleware).

    Only to a page that exists, on this site, with the same query. A form is never redirected: its
    data would be lost. API addresses answer with or without the slash.
    """

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Return whether the same address with a slash is a page."""
        if request.method not in REDIRECTED_METHODS or find_api_area(request.path):
            return False
        return bool(super().should_redirect_with_slash(request))


def drop_unread_bodies(get_response: Handler) -> Handler:
    """Drop after each answer what is left of the body (a middleware, the outermost)."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        # A proxy has time limits of its own, and reads answers in bursts.
        if not has_trusted_peer(request):
            _limit_silence(request, SILENCE_SECONDS)
        response = get_response(request)
        if request.method not in {"GET", "HEAD"}:
            drop = partial(_drop_body, request)
            response._resource_closers.append(drop)  # type: ignore[attr-defined]
        return response

    return answer


def _limit_silence(request: HttpRequest, seconds: float) -> None:
    if (connection := request.META.get("gunicorn.socket")) is not None:
        connection.settimeout(seconds)


def _drop_body(request: HttpRequest) -> None:
    """Read the rest of a body; of a caller who is not authenticated only so much."""
    _limit_silence(request, DROP_SILENCE_SECONDS)
    if _drop_bytes(request, ANONYMOUS_BODY_BYTES) and middleware.authenticated_caller(request):
        _drop_bytes(request, settings.UPLOAD_LIMIT)


def _drop_bytes(request: HttpRequest, most: int) -> bool:
    """Read and drop a number of bytes; return whether there may be more."""
    until = time.monotonic() + max(LEAST_SECONDS, most / BYTES_PER_SECOND)
    # The framework reads nothing of a body without a length.
    has_length = "HTTP_TRANSFER_ENCODING" not in request.META
    body = request if has_length else request.META.get("wsgi.input", request)
    while most > 0 and time.monotonic() < until:
        try:
            read = len(body.read(CHUNK))
        except OSError:  # the caller is silent, or has gone
            return False
        if not read:
            return False
        most -= read
    return True
