"""Files and wishes that cannot be used, with the HTTP status that an API answers."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """The file or a wish cannot be used. The message is for the caller.

    status: 400, 413, 415 or 422. report: with 422, the report that says why; else None.
    """

    def __init__(self, status: int, message: str, report: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.report = report
