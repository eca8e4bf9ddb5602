"""Reads the error bodies that the APIs answer."""

from __future__ import annotations

from typing import Any


def error_of(answer: Any) -> dict[str, Any]:
    """Return an error body without the id of its request, which ends it and stands in the header.

    answer: of Django's test client, or of an HTTP client.
    """
    error: dict[str, Any] = answer.json()
    *_, last = error
    assert last == "requestId", error
    assert error.pop("requestId") == answer.headers["X-Request-ID"] != ""
    return error
