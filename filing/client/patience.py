"""Calls that are repeated while a server is away for a moment."""

from __future__ import annotations

import time
from collections.abc import Callable

from filing.client.calls import Answer, Refused, Unreachable

PATIENCE = 3600.0  # seconds to wait for the server in one step

# Seconds between calls if the server names none; and the least, whatever it names.
PAUSE, LONGEST_PAUSE = 0.5, 10.0
LEAST_PAUSE = 0.05
# Statuses after which the same call may succeed a moment later.
TEMPORARY = frozenset({423, 429, 500, 502, 503, 504})
IN_WORK = 409


def is_temporary(error: Unreachable | Refused) -> bool:
    """Return whether the same call may succeed a moment later.

    A conflict that names a time to wait is a call with the same key that is still in work.
    """
    if isinstance(error, Unreachable):
        return True
    return error.status in TEMPORARY or (error.status == IN_WORK and bool(error.answer.wait))


def patiently(
    call: Callable[[], Answer], *, patience: float, gives_up: Callable[[], bool] = lambda: False
) -> Answer:
    """Return the response of a call, repeated while the server is temporarily unavailable.

    Only for calls that can be repeated without harm: reads, and POSTs with a key. gives_up: asked
    after each failure.
    Raises: Unreachable, Refused.
    """
    until, pause = time.monotonic() + patience, PAUSE
    while True:
        try:
            return call()
        except (Unreachable, Refused) as error:
            retry_after = error.answer.wait if isinstance(error, Refused) else None
            wait = pause if retry_after is None else max(retry_after, LEAST_PAUSE)
            if not is_temporary(error) or time.monotonic() + wait > until or gives_up():
                raise
        time.sleep(wait)
        pause = min(pause * 2, LONGEST_PAUSE)
