"""Reads the error bodies that the APIs answer."""

from __future__ import annotations

from typing import Any


def error_of(answer: Any) -> dict[str, Any]:
    """Return an error body without the id of its request, which ends it and stands in the header.

    A detail is joined to the message, as people read the two; the literal messages are compared in
    `tests/test_contract_literals.py`.
    answer: of Django's test client, or of an HTTP client.
    """
    error: dict[str, Any] = answer.json()
    *_, last = error
    assert last == "requestId", error
    assert error.pop("requestId") == answer.headers["X-Request-ID"] != ""
    if detail := error.pop("detail", ""):
        error["message"] = f"{error['message']}: {detail}"
    return error
