"""The messages that wait for workers."""

from __future__ import annotations

from queue import Empty
from typing import Any

from celery import current_app


def read_messages(queue: str) -> list[dict[str, Any]]:
    """Take the messages out of a queue, and return the arguments of each call of `filing.work`."""
    calls = []
    with current_app.connection_for_read() as connection, connection.SimpleQueue(queue) as waiting:
        while True:
            try:
                message = waiting.get_nowait()
            except Empty:
                return calls
            message.ack()
            if message.headers["task"] == "filing.work":
                calls.append(message.payload[1])
