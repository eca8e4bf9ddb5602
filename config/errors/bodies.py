"""The error objects of the API areas, each with the id of its request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from rest_framework.request import Request

from config.errors.areas import Form, area_of
from config.requests.clients import id_of

# The error types of areas that have them, by status.
TYPES = {
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


def body(
    request: HttpRequest | Request, status: int, message: str, *, detail: str = ""
) -> dict[str, Any]:
    """Return the error object of an API; its path is without the area's prefix.

    detail: what follows a message that programs match; left out if blank.
    """
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
            error = with_status(status, message, request.path.removeprefix(prefix))
    if detail:
        error["detail"] = detail
    return with_request_id(error, request)


def with_status(status: int, message: str, path: str = "") -> dict[str, Any]:
    """Return an error in the form of status, message and path."""
    return {"httpStatus": status, "message": message, "path": path}


def with_request_id(error: Mapping[str, Any], request: HttpRequest | Request) -> dict[str, Any]:
    """Return the error with the id of its request, to look up in the log."""
    return {**error, "requestId": id_of(request)}
