"""When the user of a session last authenticated. The session keeps the time on the server."""

from __future__ import annotations

import time
from datetime import timedelta

from django.contrib.sessions.backends.base import SessionBase

KEY = "proved_at"  # in the session
RECENT = timedelta(minutes=15)


def record(session: SessionBase, at: float | None = None) -> None:
    """Store when the user of a session authenticated: now, unless another time is given.

    Units: at is in seconds since 1970-01-01 UTC.
    """
    session[KEY] = int(time.time() if at is None else at)


def of(session: SessionBase) -> int | None:
    """Return the recorded time in seconds since 1970-01-01 UTC; none if unknown."""
    return session.get(KEY)


def is_recent(session: SessionBase) -> bool:
    """Tell whether the user authenticated within the last 15 minutes."""
    at = of(session)
    return at is not None and time.time() - at <= RECENT.total_seconds()
