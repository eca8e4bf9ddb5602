"""Waits of a request for others, during which the web process works on other requests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Left = Callable[[], AbstractContextManager[None]]
_left: Left = nullcontext


def left() -> AbstractContextManager[None]:
    """Return a context in which this request waits, and leaves its place to another one.

    In processes without places nothing happens.
    """
    return _left()


def leave_by(context: Left) -> None:
    """Set how requests of this process leave their place: the web server knows."""
    global _left
    _left = context
