"""Domain errors and all other errors as HTTP responses: JSON in an API area, a page elsewhere."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from config.errors import outages, pages
from config.errors.areas import Form, area_of
from config.errors.bodies import body, with_request_id, with_status
from config.errors.missing_rights import reasons
from config.identity import bearer
from databrowser.errors import Refused
from databrowser.publication.serving.engine import Unavailable
from filing import audit
from filing.access import AccessDenied, Caller, caller_of
from filing.audit import unexpected
from filing.errors import Refusal
from filing.models import AuditEvent

log = logging.getLogger(__name__)


# Pages that store nothing of what is sent to them.
TOOLS = re.compile(r"/(tools|data|docs)/")
UNEXPECTED = "The service could not answer this request. It has been recorded."
READING = frozenset({"GET", "HEAD", "OPTIONS"})
# The messages of refusals that the framework and file views send without a body.
BODILESS = {
    405: 'Method "{method}" not allowed.',  # the wording of the API framework
    416: "The file does not have the bytes that the header Range asks for.",
}


def answer(error: Exception, context: dict[str, Any]) -> Response:
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
            with_request_id(with_status(error.status, error.message), request), status=error.status
        )
    if isinstance(error, Refusal):
        headers = {"Retry-After": str(error.seconds)} if error.seconds else None
        if isinstance(error, (Refused, Unavailable)):
            refusal = with_request_id(error.body, request)
        else:
            refusal = body(request, error.status, error.literal, detail=error.detail)
        return Response(refusal, status=error.status, headers=headers)
    if isinstance(error, (exceptions.NotAuthenticated, exceptions.AuthenticationFailed)):
        return _unauthorized(request, error)
    response = exception_handler(error, context)
    if response is None and (part := outages.part_of(error)):
        outages.note(part, error)
        message = outages.sentence(part, may_have_changed=_may_change(request))
        unavailable = Response(body(request, 503, message), status=503)
        return cast(Response, _with_retry_after(unavailable))
    if response is None:
        log.error(
            "Unexpected error at %s %s",
            request.method,
            request.path,
            exc_info=error,
            extra={"request": request},  # for reports, which name the pattern of the address
        )
        return Response(body(request, 500, UNEXPECTED), status=500)
    message = _sentence(response.data)
    if response.status_code == 403:
        response.data = with_request_id(with_status(403, message), request)
    else:
        response.data = body(request, response.status_code, message)
    return response


def _unauthorized(request: Request, error: exceptions.APIException) -> Response:
    message = "Authorization Token could not be verified"
    response = Response(with_request_id(with_status(401, message), request), status=401)
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
    response = JsonResponse(body(request, status, message), status=status)
    response["Cache-Control"] = "no-cache"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 to a request that the framework refuses."""
    if area_of(request.path):
        message = isinstance(exception, (BadRequest, SuspiciousOperation)) and str(exception)
        return _json(request, 400, message or "The request could not be read.")
    return pages.problem(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 403 to a request that the framework refuses."""
    if area_of(request.path):
        return _json(request, 403, "This is not allowed.")
    return pages.problem(request, 403, **reasons(request, exception))


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that did not come from this site, or is too old."""
    if area_of(request.path):
        return _json(request, 403, "This is not allowed.")
    return pages.problem(request, 403, template="403_csrf.html")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that does not exist."""
    if area_of(request.path):
        return _json(request, 404, "There is nothing at this address.")
    return pages.problem(request, 404)


def too_many_requests(request: HttpRequest, seconds: int, *, reason: str = "") -> HttpResponse:
    """Answer a request over a limit. seconds: how long to wait before the next one.

    reason: which limit, in a sentence; by default that of the number of requests.
    """
    wait = f"{seconds} second{'' if seconds == 1 else 's'}"
    if area_of(request.path):
        return _json(request, 429, f"{reason or 'Too many requests.'} Try again in {wait}.")
    return pages.problem(request, 429, wait=wait, reason=reason)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an unexpected error with 500 and no details, an outage with 503.

    The framework calls this while it handles the error, wherever it was raised.
    """
    error = sys.exc_info()[1]
    if error is not None and (part := outages.part_of(error)):
        outages.note(part, error)
        return unavailable(request, part)
    if error is not None:
        unexpected.record_error(
            error,
            by=partial(_caller, request),
            about=f"{request.method} {request.path}",
            lei=getattr(request.resolver_match, "kwargs", {}).get("lei", ""),
        )
    if area_of(request.path):
        return _json(request, 500, UNEXPECTED)
    return pages.failure(request)


def _caller(request: HttpRequest) -> Caller | None:
    """Return the caller if it is known by now."""
    verification = getattr(request, bearer.RESULT, None)
    if isinstance(verification, tuple):
        return cast(Caller, verification[0])
    user = getattr(request, "_cached_user", None)
    return caller_of(user) if user is not None and user.is_authenticated else None


def unavailable(request: HttpRequest, part: outages.Part) -> HttpResponse:
    """Answer 503 for an outage, with the time to try again."""
    message = outages.sentence(part, may_have_changed=_may_change(request))
    if area_of(request.path):
        return _with_retry_after(_json(request, 503, message))
    return _with_retry_after(pages.failure(request, status=503, message=message))


def _may_change(request: HttpRequest | Request) -> bool:
    """Return whether the request may have changed stored data."""
    if request.method in READING:
        return False
    area = area_of(request.path)
    return area.stores if area else not TOOLS.match(request.path)


def _with_retry_after(response: HttpResponse) -> HttpResponse:
    """Return the response with the time to try again. The outage is logged already."""
    response["Retry-After"] = str(outages.RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def complete_api_errors(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Give refusals without a body one, and those of OAuth the request id (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        area = area_of(request.path)
        if area is None or response.status_code < 400 or not isinstance(response, HttpResponse):
            return response
        if not response.content and response.status_code in BODILESS:
            message = BODILESS[response.status_code].format(method=request.method)
            _write(response, body(request, response.status_code, message))
        elif area.form is Form.OAUTH and (error := _read(response)):
            _write(response, with_request_id(error, request))
        return response

    return respond


def _read(response: HttpResponse) -> dict[str, Any]:
    """Return the JSON object of a refusal, whatever its content type; empty if there is none."""
    try:
        error = json.loads(response.content)
    except ValueError:
        return {}
    return error if isinstance(error, dict) else {}


def _write(response: HttpResponse, error: Mapping[str, Any]) -> None:
    response["Content-Type"] = "application/json"
    response.headers.setdefault("Cache-Control", "no-cache")
    response.content = json.dumps(error)
