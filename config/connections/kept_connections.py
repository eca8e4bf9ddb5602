"""Connections that wait for a request: one that has come is answered, however late it is seen.

On a busy machine a turn of the main loop takes seconds. A request that comes during one is not seen
before the time of its connection is over; closing that would leave its caller without a response.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from typing import Any


def end_expired(
    connections: Any, *, now: float, answer: Callable[[Any], None], close: Callable[[Any], None]
) -> None:
    """Answer or close the connections whose time is over.

    connections: a deque, the one whose time is over first at its left; `answer` removes one from
    it. now: on the clock of the web server, once for all: what takes long here must not end others.
    """
    while connections and connections[0].timeout <= now:
        connection = connections[0]
        if has_bytes(connection.sock):
            answer(connection)
        else:
            close(connections.popleft())


def has_bytes(socket: Any) -> bool:
    """Return whether a socket has bytes to read, or was closed by the other side."""
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
