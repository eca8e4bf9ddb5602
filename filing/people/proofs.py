"""When the person of a session last proved who they are. The session keeps it on the server."""

from __future__ import annotations

import time
from datetime import timedelta

from django.contrib.sessions.backends.base import SessionBase

KEY = "proved_at"  # where the session has it
FRESH = timedelta(minutes=15)


def keep(session: SessionBase, at: float | None = None) -> None:
    """Keep when the person of a session proved who they are: now, unless another time is given.

    Units: at is in seconds since 1970-01-01 UTC.
    """
    session[KEY] = int(time.time() if at is None else at)


def of(session: SessionBase) -> int | None:
    """Return the time that was kept, in seconds since 1970-01-01 UTC; none where it is unknown."""
    return session.get(KEY)


def is_fresh(session: SessionBase) -> bool:
    """Tell whether the person proved who they are within the last 15 minutes."""
    at = of(session)
    return at is not None and time.time() - at <= FRESH.total_seconds()
