"""Domain errors, and everything else that can go wrong, as HTTP answers: one form per API area."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, cast

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from config import pages
from config.forbidden import reasons
from databrowser.errors import Refused
from databrowser.publication.engine import Unavailable
from filing import trail
from filing.access import AccessDenied, Caller
from filing.errors import Refusal
from filing.models import Happening

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Area:
    """A part of the site whose errors are JSON: where it begins, and what its paths leave out.

    has_types: whether its errors have a type in place of status and path.
    """

    begins: str
    prefix: str
    has_types: bool = False


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

AREAS = (
    Area("/v2/data-browser-api", "/v2/data-browser-api", has_types=True),
    Area("/v2/filing", "/v2/filing"),
    Area("/v2/public", "/v2/public"),
    Area("/hmda-auth", "/hmda-auth"),
    Area("/public", "/public"),
    Area("/file/", "/file"),
    Area("/quarterly-data", ""),
)
UNEXPECTED = "The service could not answer this request. It has been recorded."


def area_of(path: str) -> Area | None:
    """Return the API area a path belongs to, or nothing for a page."""
    return next((area for area in AREAS if path.startswith(area.begins)), None)


def body(status: int, message: str, path: str) -> dict[str, Any]:
    """Return the error object of an API; paths are given without the area's prefix."""
    area = area_of(path)
    if area and area.has_types:
        return {"errorType": TYPES.get(status, "bad-request"), "message": message}
    return {
        "httpStatus": status,
        "message": message,
        "path": path.removeprefix(area.prefix) if area else path,
    }


def answer(error: Exception, context: dict[str, Any]) -> Response:
    """Return the answer to an exception that a view of an API has raised."""
    request: Request = context["request"]
    if isinstance(error, AccessDenied):
        trail.record(
            Happening.ACCESS_REFUSED,
            by=cast(Caller, request.user),
            lei=context["kwargs"].get("lei", ""),
            about=f"{request.method} {request.path}",
        )
        return Response(
            {"httpStatus": error.status, "message": error.message, "path": ""}, status=error.status
        )
    if isinstance(error, (Refused, Unavailable)):
        headers = {"Retry-After": str(error.seconds)} if isinstance(error, Unavailable) else None
        return Response(error.body, status=error.status, headers=headers)
    if isinstance(error, Refusal):
        return Response(body(error.status, error.message, request.path), status=error.status)
    if isinstance(error, (exceptions.NotAuthenticated, exceptions.AuthenticationFailed)):
        return _unauthorised(error)
    known = exception_handler(error, context)
    if known is None:
        log.exception("Unexpected error at %s %s", request.method, request.path, exc_info=error)
        return Response(body(500, UNEXPECTED, request.path), status=500)
    if known.status_code == 403:
        known.data = {"httpStatus": 403, "message": _sentence(known.data), "path": ""}
    else:
        known.data = body(known.status_code, _sentence(known.data), request.path)
    return known


def _unauthorised(error: exceptions.APIException) -> Response:
    message = "Authorization Token could not be verified"
    response = Response({"httpStatus": 401, "message": message, "path": ""}, status=401)
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
    response = JsonResponse(body(status, message, request.path), status=status)
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
    """Answer an error nobody expected, without its inner life."""
    if area_of(request.path):
        return _plain(request, 500, UNEXPECTED)
    return pages.failure(request)
