"""Domain errors, and everything else that can go wrong, as HTTP answers: one form per API area."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, cast

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from config import away, pages
from config.forbidden import reasons
from config.requests import id_of
from databrowser.errors import Refused
from databrowser.publication.serving.engine import Unavailable
from filing import audit
from filing.access import AccessDenied, Caller
from filing.errors import Refusal
from filing.models import Happening

log = logging.getLogger(__name__)


class Form(Enum):
    """How the errors of an area look; each ends with the id of the request."""

    STATUS = auto()  # status, message and path
    TYPE = auto()  # a type in place of status and path
    OAUTH = auto()  # as RFC 6749, section 5.2, has them


@dataclass(frozen=True)
class Area:
    """A part of the site whose errors are JSON: where it begins, and what its paths leave out.

    pages: the addresses in it that are pages for people, with pages as errors.
    keeps: whether something of what is sent there may be kept.
    """

    begins: str
    prefix: str = ""
    form: Form = Form.STATUS
    pages: re.Pattern[str] | None = None
    keeps: bool = False

    def has(self, path: str) -> bool:
        """Return whether an address lies here, existing or not."""
        is_below = path == self.begins or path.startswith(f"{self.begins}/")
        return is_below and not (self.pages and self.pages.fullmatch(path))


# The types of errors by status, where an area has them.
TYPES = {
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    429: "too-many-requests",
    500: "internal-error",
    503: "busy",
}
# What OAuth calls them. Source: RFC 6749, sections 4.1.2.1 and 5.2.
OAUTH_ERRORS = {
    403: "access_denied",
    429: "temporarily_unavailable",
    500: "server_error",
    503: "temporarily_unavailable",
}

# Every address of an API lies in one of these, also one that does not exist: the narrower first.
AREAS = (
    Area("/v2/data-browser-api", "/v2/data-browser-api", form=Form.TYPE),
    Area("/v2/filing", "/v2/filing", keeps=True),
    Area("/v2/public", "/v2/public"),
    Area("/v2"),
    Area("/hmda-auth", "/hmda-auth", keeps=True),
    Area("/public", "/public"),
    Area("/file", "/file"),
    Area("/quarterly-data"),
    Area(
        "/realms",
        form=Form.OAUTH,
        keeps=True,
        pages=re.compile(r"/realms/[^/]+/(login|protocol/openid-connect/(auth|logout))/?"),
    ),
)
# Pages that keep nothing of what is sent to them.
TOOLS = re.compile(r"/(tools|data|docs)/")
UNEXPECTED = "The service could not answer this request. It has been recorded."
READING = frozenset({"GET", "HEAD", "OPTIONS"})
# What the framework and views of files refuse without a word.
SILENT = {
    405: 'Method "{method}" not allowed.',  # as the framework of the APIs says it
    416: "The file does not have the bytes that the header Range asks for.",
}


def area_of(path: str) -> Area | None:
    """Return the API area a path belongs to, or nothing for a page."""
    return next((area for area in AREAS if area.has(path)), None)


def body(request: HttpRequest | Request, status: int, message: str) -> dict[str, Any]:
    """Return the error object of an API; paths are given without the area's prefix."""
    area = area_of(request.path)
    form, prefix = (area.form, area.prefix) if area else (Form.STATUS, "")
    match form:
        case Form.TYPE:
            error: dict[str, Any] = {
                "errorType": TYPES.get(status, "bad-request"),
                "message": message,
            }
        case Form.OAUTH:
            name = OAUTH_ERRORS.get(status, "invalid_request")
            error = {"error": name, "error_description": message}
        case Form.STATUS:
            error = _with_status(status, message, request.path.removeprefix(prefix))
    return _named(error, request)


def _with_status(status: int, message: str, path: str = "") -> dict[str, Any]:
    return {"httpStatus": status, "message": message, "path": path}


def _named(error: Mapping[str, Any], request: HttpRequest | Request) -> dict[str, Any]:
    """Return the error with the id of its request, which leads to the log."""
    return {**error, "requestId": id_of(request)}


def answer(error: Exception, context: dict[str, Any]) -> Response:
    """Return the answer to an exception that a view of an API has raised."""
    request: Request = context["request"]
    if isinstance(error, AccessDenied):
        audit.record_refusal(
            Happening.ACCESS_REFUSED,
            by=cast(Caller, request.user),
            lei=context["kwargs"].get("lei", ""),
            about=f"{request.method} {request.path}",
        )
        return Response(
            _named(_with_status(error.status, error.message), request), status=error.status
        )
    if isinstance(error, (Refused, Unavailable)):
        headers = {"Retry-After": str(error.seconds)} if isinstance(error, Unavailable) else None
        return Response(_named(error.body, request), status=error.status, headers=headers)
    if isinstance(error, Refusal):
        return Response(body(request, error.status, error.message), status=error.status)
    if isinstance(error, (exceptions.NotAuthenticated, exceptions.AuthenticationFailed)):
        return _unauthorised(request, error)
    known = exception_handler(error, context)
    if known is None and (part := away.part_of(error)):
        away.note(part, error)
        message = away.sentence(part, may_have_changed=_may_change(request))
        response = Response(body(request, 503, message), status=503)
        return cast(Response, _to_come_back(response))
    if known is None:
        log.exception("Unexpected error at %s %s", request.method, request.path, exc_info=error)
        return Response(body(request, 500, UNEXPECTED), status=500)
    if known.status_code == 403:
        known.data = _named(_with_status(403, _sentence(known.data)), request)
    else:
        known.data = body(request, known.status_code, _sentence(known.data))
    return known


def _unauthorised(request: Request, error: exceptions.APIException) -> Response:
    message = "Authorization Token could not be verified"
    response = Response(_named(_with_status(401, message), request), status=401)
    response["WWW-Authenticate"] = getattr(error, "auth_header", "Bearer")
    return response


def _sentence(detail: Any) -> str:
    """Return the messages of a validation error as one text that names the fields."""
    if isinstance(detail, dict):
        if set(detail) == {"detail"}:
            return str(detail["detail"])
        return " ".join(f"{name}: {_sentence(value)}" for name, value in detail.items())
    if isinstance(detail, list):
        return " ".join(_sentence(each) for each in detail)
    return str(detail)


def _plain(request: HttpRequest, status: int, message: str) -> JsonResponse:
    response = JsonResponse(body(request, status, message), status=status)
    response["Cache-Control"] = "no-cache"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what the framework itself refuses as 400."""
    if area_of(request.path):
        shown = isinstance(exception, (BadRequest, SuspiciousOperation)) and str(exception)
        return _plain(request, 400, shown or "The request could not be read.")
    return pages.problem(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what the framework itself refuses as 403."""
    if area_of(request.path):
        return _plain(request, 403, "This is not allowed.")
    return pages.problem(request, 403, **reasons(request, exception))


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that this browser did not get from this site, or got too long ago."""
    if area_of(request.path):
        return _plain(request, 403, "This is not allowed.")
    return pages.problem(request, 403, template="403_csrf.html")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that does not exist."""
    if area_of(request.path):
        return _plain(request, 404, "There is nothing at this address.")
    return pages.problem(request, 404)


def too_many_requests(request: HttpRequest, seconds: int) -> HttpResponse:
    """Answer a request over the limit. seconds: how long to wait before the next one."""
    wait = f"{seconds} second{'' if seconds == 1 else 's'}"
    if area_of(request.path):
        return _plain(request, 429, f"Too many requests. Try again in {wait}.")
    return pages.problem(request, 429, wait=wait)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an error nobody expected, without its inner life; or what is away, with 503.

    The framework calls this while it handles the error, wherever it was raised.
    """
    error = sys.exc_info()[1]
    if error is not None and (part := away.part_of(error)):
        away.note(part, error)
        return unavailable(request, part)
    if area_of(request.path):
        return _plain(request, 500, UNEXPECTED)
    return pages.failure(request)


def unavailable(request: HttpRequest, part: away.Part) -> HttpResponse:
    """Answer that something is away that the request needs, and when to come back."""
    message = away.sentence(part, may_have_changed=_may_change(request))
    if area_of(request.path):
        return _to_come_back(_plain(request, 503, message))
    return _to_come_back(pages.failure(request, status=503, message=message))


def _may_change(request: HttpRequest | Request) -> bool:
    """Tell whether something may be kept of what was sent."""
    if request.method in READING:
        return False
    area = area_of(request.path)
    return area.keeps if area else not TOOLS.match(request.path)


def _to_come_back(response: HttpResponse) -> HttpResponse:
    """Say when to come back. The log has its line already; the framework would add another."""
    response["Retry-After"] = str(away.RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def in_the_form_of_its_area(
    answer: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Give a body to refusals that have none, and the id to those of OAuth (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = answer(request)
        area = area_of(request.path)
        if area is None or response.status_code < 400 or not isinstance(response, HttpResponse):
            return response
        if not response.content and response.status_code in SILENT:
            message = SILENT[response.status_code].format(method=request.method)
            _write(response, body(request, response.status_code, message))
        elif area.form is Form.OAUTH and (error := _read(response)):
            _write(response, _named(error, request))
        return response

    return respond


def _read(response: HttpResponse) -> dict[str, Any]:
    """Return the JSON object of a refusal, whatever the library calls it; an empty one for none."""
    try:
        error = json.loads(response.content)
    except ValueError:
        return {}
    return error if isinstance(error, dict) else {}


def _write(response: HttpResponse, error: Mapping[str, Any]) -> None:
    response["Content-Type"] = "application/json"
    response.headers.setdefault("Cache-Control", "no-cache")
    response.content = json.dumps(error)
