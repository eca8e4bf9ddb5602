"""The form that an error has at each address."""

from __future__ import annotations

from typing import Any

from config.errors.handlers import ErrorForm
from tests.errors import error_of

# Of each area what its errors leave out of the path, as the contracts have it; the form else.
FORMS: dict[str, str | ErrorForm] = {
    "/v2/data-browser-api": ErrorForm.TYPE,
    "/v2/filing": "/v2/filing",
    "/v2/admin": "/v2/admin",
    "/v2/public": "/v2/public",
    "/v2": "",
    "/hmda-auth": "/hmda-auth",
    "/public": "/public",
    "/file": "/file",
    "/reports": "",
    "/quarterly-data": "",
    "/realms": ErrorForm.OAUTH,
}


TYPES = {400: "bad-request", 403: "forbidden", 404: "not-found", 405: "method-not-allowed"}
OAUTH = {
    403: "access_denied",
    429: "temporarily_unavailable",
    500: "server_error",
    503: "temporarily_unavailable",
}


def is_of_form(answer: Any, address: str) -> str:
    """Return the message of an error, having held it against the form of its area."""
    assert answer["Content-Type"] == "application/json", address
    error, status = error_of(answer), answer.status_code
    form = next(form for begins, form in FORMS.items() if f"{address}/".startswith(f"{begins}/"))
    if form is ErrorForm.TYPE:
        types = {**TYPES, 429: "too-many-requests", 500: "internal-error", 503: "busy"}
        assert error == {"errorType": types[status], "message": error["message"]}
        return str(error["message"])
    if form is ErrorForm.OAUTH:
        name = OAUTH.get(status, "invalid_request")
        assert error == {"error": name, "error_description": error["error_description"]}
        return str(error["error_description"])
    path = address.removeprefix(str(form))
    assert error == {"httpStatus": status, "message": error["message"], "path": path}
    return str(error["message"])
