"""The API areas of the site, and all errors as HTTP answers: JSON in an area, a page elsewhere.

The table of areas says which addresses belong to each and the form of its errors; each error object
has the id of its request, and the path in it is without the prefix of the area.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any, cast

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from rest_framework import exceptions
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from config.errors import pages
from config.identity import bearer
from config.requests.clients import request_id
from config.requests.middleware import Handler
from config.running import logs
from databrowser.errors import QueryRefused
from databrowser.publication.serving import QueriesUnavailable
from filing import audit, outages
from filing.access import AccessDenied, Caller, caller_of
from filing.errors import Interrupted, Refusal
from filing.models import AuditEvent
from filing.outages import OutagePart

log = logging.getLogger(__name__)

# Pages that store nothing of what is sent to them.
TOOLS = re.compile(r"/(tools|data|docs)/")
UNEXPECTED = "The service could not answer this request. It has been recorded."
LENGTH_MISSING = (
    "The body was sent in chunks, without its length. Send the number of bytes in the header "
    "Content-Length, and no header Transfer-Encoding."
)
BODY_TOO_LARGE = "The body is larger than what is taken here. Send less at once."
# The messages of refusals that the framework and file views send without a body.
BODILESS = {
    405: 'Method "{method}" not allowed.',  # the wording of the API framework
    416: "The file does not have the bytes that the header Range asks for.",
}
# The error types of areas that have them, by status.
ERROR_TYPES = {
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    429: "too-many-requests",
    500: "internal-error",
    503: "busy",
}
# The names that OAuth has for them. Source: RFC 6749, sections 4.1.2.1 and 5.2.
OAUTH_ERRORS = {
    403: "access_denied",
    429: "temporarily_unavailable",
    500: "server_error",
    503: "temporarily_unavailable",
}


class ErrorForm(Enum):
    """The form of an area's errors; each ends with the id of the request."""

    STATUS = auto()  # status, message and path
    TYPE = auto()  # a type in place of status and path
    OAUTH = auto()  # Source: RFC 6749, section 5.2


@dataclass(frozen=True)
class ApiArea:
    """A part of the site whose errors are JSON.

    start: the path that all its addresses begin with.
    prefix: what the paths in its errors leave out.
    pages: its addresses that are pages, and answer errors with pages.
    stores: whether requests to it may change stored data.
    """

    start: str
    prefix: str = ""
    form: ErrorForm = ErrorForm.STATUS
    pages: re.Pattern[str] | None = None
    stores: bool = False

    def has(self, path: str) -> bool:
        """Return whether an address belongs to the area, existing or not."""
        is_below = path == self.start or path.startswith(f"{self.start}/")
        return is_below and not (self.pages and self.pages.fullmatch(path))


# Every API address belongs to one of these, existing or not. The narrower ones come first.
API_AREAS = (
    ApiArea("/v2/data-browser-api", "/v2/data-browser-api", form=ErrorForm.TYPE),
    ApiArea("/v2/filing", "/v2/filing", stores=True),
    ApiArea("/v2/admin", "/v2/admin", stores=True),
    ApiArea("/v2/public", "/v2/public"),
    ApiArea("/v2"),
    ApiArea("/hmda-auth", "/hmda-auth", stores=True),
    ApiArea("/public", "/public"),
    ApiArea("/file", "/file"),
    ApiArea("/reports"),
    ApiArea("/quarterly-data"),
    ApiArea(
        "/realms",
        form=ErrorForm.OAUTH,
        stores=True,
        pages=re.compile(r"/realms/[^/]+/(login|protocol/openid-connect/(auth|logout))/?"),
    ),
)


def find_api_area(path: str) -> ApiArea | None:
    """Return the API area of a path, None for a page."""
    return next((area for area in API_AREAS if area.has(path)), None)


def answer_api_error(error: Exception, context: dict[str, Any]) -> Response:
    """Return the response to an exception that an API view raised."""
    request: Request = context["request"]
    if isinstance(error, AccessDenied):
        audit.record_refusal(
            AuditEvent.ACCESS_REFUSED,
            by=cast(Caller, request.user),
            lei=context["kwargs"].get("lei", ""),
            about=f"{request.method} {request.path}",
        )
        return Response(
            add_request_id(status_error(error.status, error.message), request), status=error.status
        )
    if isinstance(error, UnreadablePostError):
        error = Interrupted()
    if isinstance(error, Refusal):
        headers = {"Retry-After": str(error.seconds)} if error.seconds else None
        area = find_api_area(request.path)
        has_types = area is not None and area.form is ErrorForm.TYPE
        if has_types and isinstance(error, (QueryRefused, QueriesUnavailable)):
            refusal = add_request_id(error.body, request)
        else:
            refusal = error_body(request, error.status, error.literal, detail=error.detail)
        return Response(refusal, status=error.status, headers=headers)
    if isinstance(error, (exceptions.NotAuthenticated, exceptions.AuthenticationFailed)):
        return _unauthorized(request, error)
    response = exception_handler(error, context)
    if response is None and (part := outages.find_outage(error)):
        pages.log_outage(part, error)
        message = pages.describe_outage(part, may_have_changed=_may_change(request))
        unavailable = Response(error_body(request, 503, message), status=503)
        return cast(Response, _with_retry_after(unavailable))
    if response is None:
        log.error(
            "Unexpected error at %s %s",
            request.method,
            request.path,
            exc_info=error,
            extra={"request": request},  # for reports, which name the pattern of the address
        )
        return Response(error_body(request, 500, UNEXPECTED), status=500)
    message = _sentence(response.data)
    if response.status_code == 403:
        response.data = add_request_id(status_error(403, message), request)
    else:
        response.data = error_body(request, response.status_code, message)
    return response


def _unauthorized(request: Request, error: exceptions.APIException) -> Response:
    message = "Authorization Token could not be verified"
    response = Response(add_request_id(status_error(401, message), request), status=401)
    response["WWW-Authenticate"] = getattr(error, "auth_header", "Bearer")
    return response


def _sentence(detail: Any) -> str:
    """Return the messages of a validation error as one text with the field names."""
    if isinstance(detail, dict):
        if set(detail) == {"detail"}:
            return str(detail["detail"])
        return " ".join(f"{name}: {_sentence(value)}" for name, value in detail.items())
    if isinstance(detail, list):
        return " ".join(_sentence(message) for message in detail)
    return str(detail)


def _json(request: HttpRequest, status: int, message: str) -> JsonResponse:
    response = JsonResponse(error_body(request, status, message), status=status)
    response["Cache-Control"] = "no-cache"
    return response


def answer_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 to a request that the framework refuses, 413 to one that is too large for it."""
    if isinstance(exception, RequestDataTooBig):
        return answer_unreadable(request, 413, BODY_TOO_LARGE)
    if find_api_area(request.path):
        message = isinstance(exception, (BadRequest, SuspiciousOperation)) and str(exception)
        return _json(request, 400, message or "The request could not be read.")
    return pages.render_problem(request, 400)


def answer_interrupted_body(request: HttpRequest) -> HttpResponse:
    """Answer 408 to a body that stopped arriving."""
    response = answer_unreadable(request, 408, Interrupted().message)
    response._has_been_logged = True  # type: ignore[attr-defined]  # without a traceback
    return response


def answer_unreadable(request: HttpRequest, status: int, reason: str) -> HttpResponse:
    """Answer a request that cannot be read as it was sent. reason: why, and what is accepted."""
    if find_api_area(request.path):
        return _json(request, status, reason)
    return pages.render_problem(request, status, template="400.html", reason=reason)


def answer_forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 403 to a request that the framework refuses."""
    if find_api_area(request.path):
        return _json(request, 403, "This is not allowed.")
    return pages.render_problem(request, 403, **pages.explain_missing_right(request, exception))


def answer_forged_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that did not come from this site, or is too old."""
    # The framework's check lets a body that stops pass as one without its token.
    if request._read_started and not hasattr(request, "_post"):  # type: ignore[attr-defined]
        return answer_interrupted_body(request)
    if find_api_area(request.path):
        return _json(request, 403, "This is not allowed.")
    return pages.render_problem(request, 403, template="403_csrf.html")


def answer_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that does not exist."""
    if find_api_area(request.path):
        return _json(request, 404, "There is nothing at this address.")
    return pages.render_problem(request, 404)


def answer_too_many_requests(
    request: HttpRequest, seconds: int, *, reason: str = ""
) -> HttpResponse:
    """Answer a request over a limit. seconds: how long to wait before the next one.

    reason: which limit, in a sentence; by default that of the number of requests.
    """
    wait = f"{seconds} second{'' if seconds == 1 else 's'}"
    if find_api_area(request.path):
        message = f"{reason or 'Too many requests.'} Try again in {wait}."
        response: HttpResponse = _json(request, 429, message)
    else:
        response = pages.render_problem(request, 429, wait=wait, reason=reason)
    response["Retry-After"] = str(seconds)
    response["Cache-Control"] = "no-store"
    return response


def answer_server_error(request: HttpRequest) -> HttpResponse:
    """Answer an unexpected error with 500, an outage with 503, a body that stops with 408.

    The framework calls this while it handles the error, wherever it was raised.
    """
    error = sys.exc_info()[1]
    if isinstance(error, UnreadablePostError):
        return answer_interrupted_body(request)
    if error is not None and (part := outages.find_outage(error)):
        pages.log_outage(part, error)
        return answer_outage(request, part)
    if error is not None:
        audit.record_error(
            error,
            by=partial(_caller, request),
            about=logs.hide_secrets(f"{request.method} {request.path}"),
            lei=getattr(request.resolver_match, "kwargs", {}).get("lei", ""),
        )
    if find_api_area(request.path):
        return _json(request, 500, UNEXPECTED)
    return pages.render_failure(request)


def _caller(request: HttpRequest) -> Caller | None:
    """Return the caller if it is known by now."""
    verification = getattr(request, bearer.VERIFICATION, None)
    if isinstance(verification, tuple):
        return cast(Caller, verification[0])
    user = getattr(request, "_cached_user", None)
    return caller_of(user) if user is not None and user.is_authenticated else None


def answer_outage(request: HttpRequest, part: OutagePart) -> HttpResponse:
    """Answer 503 for an outage, with the time to try again."""
    message = pages.describe_outage(part, may_have_changed=_may_change(request))
    if find_api_area(request.path):
        return _with_retry_after(_json(request, 503, message))
    return _with_retry_after(pages.render_failure(request, status=503, message=message))


def _may_change(request: HttpRequest | Request) -> bool:
    """Return whether the request may have changed stored data."""
    if request.method in SAFE_METHODS:
        return False
    area = find_api_area(request.path)
    return area.stores if area else not TOOLS.match(request.path)


def _with_retry_after(response: HttpResponse) -> HttpResponse:
    """Return the response with the time to try again. The outage is logged already."""
    response["Retry-After"] = str(pages.RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def complete_api_errors(get_response: Handler) -> Handler:
    """Give refusals without a body one, and those of OAuth the request id (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        area = find_api_area(request.path)
        if area is None or response.status_code < 400 or not isinstance(response, HttpResponse):
            return response
        if not response.content and response.status_code in BODILESS:
            message = BODILESS[response.status_code].format(method=request.method)
            _write_error(response, error_body(request, response.status_code, message))
        elif area.form is ErrorForm.OAUTH and (error := _read_error(response)):
            _write_error(response, add_request_id(error, request))
        return response

    return respond


def error_body(
    request: HttpRequest | Request, status: int, message: str, *, detail: str = ""
) -> dict[str, Any]:
    """Return the error object of an API; its path is without the area's prefix.

    detail: what follows a message that programs match; left out if blank.
    """
    area = find_api_area(request.path)
    form, prefix = (area.form, area.prefix) if area else (ErrorForm.STATUS, "")
    match form:
        case ErrorForm.TYPE:
            error: dict[str, Any] = {
                "errorType": ERROR_TYPES.get(status, "bad-request"),
                "message": message,
            }
        case ErrorForm.OAUTH:
            name = OAUTH_ERRORS.get(status, "invalid_request")
            error = {"error": name, "error_description": message}
        case ErrorForm.STATUS:
            error = status_error(status, message, request.path.removeprefix(prefix))
    if detail:
        error["detail"] = detail
    return add_request_id(error, request)


def status_error(status: int, message: str, path: str = "") -> dict[str, Any]:
    """Return an error in the form of status, message and path."""
    return {"httpStatus": status, "message": message, "path": path}


def add_request_id(error: Mapping[str, Any], request: HttpRequest | Request) -> dict[str, Any]:
    """Return the error with the id of its request, to look up in the log."""
    return {**error, "requestId": request_id(request)}


def _read_error(response: HttpResponse) -> dict[str, Any]:
    """Return the JSON object of a refusal, whatever its content type; empty if there is none."""
    try:
        error = json.loads(response.content)
    except ValueError:
        return {}
    return error if isinstance(error, dict) else {}


def _write_error(response: HttpResponse, error: Mapping[str, Any]) -> None:
    response["Content-Type"] = "application/json"
    response.headers.setdefault("Cache-Control", "no-cache")
    response.content = json.dumps(error)
