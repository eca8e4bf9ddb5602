"""What a request answers during an outage: 503 with the time to try again; the log has one line."""

from __future__ import annotations

import logging

from django.db import Error, connection

from filing.outages import Part, part_of

log = logging.getLogger(__name__)

RETRY_SECONDS = 30
__all__ = ["RETRY_SECONDS", "Part", "note", "part_of", "sentence"]


def sentence(part: Part, *, may_have_changed: bool) -> str:
    """Return the message for callers. may_have_changed: whether they asked for a change."""
    message = (
        f"The service cannot {part.value} at the moment. Try again in {RETRY_SECONDS} seconds."
    )
    return f"{message} What you sent may not have been saved." if may_have_changed else message


def note(part: Part, error: BaseException) -> None:
    """Log the outage in one line, and let the next request connect again."""
    log.warning("The service cannot %s: %s", part.value, _first_line(error))
    if part is Part.DATABASE and not connection.in_atomic_block:
        # SQLite too, whose connection would keep using a file that was moved away.
        try:
            connection.close()
        except Error as failure:
            log.warning("The connection to the database was not closed: %s", _first_line(failure))


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
