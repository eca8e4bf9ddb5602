"""A request that waits for others leaves its place, where there are places."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from filing.requests import waits


def test_without_places_a_wait_is_a_wait() -> None:
    with waits.left():
        pass


def test_the_place_is_left_as_the_web_server_says_and_taken_again() -> None:
    order = []

    @contextmanager
    def left() -> Iterator[None]:
        order.append("left")
        yield
        order.append("taken again")

    waits.leave_by(left)
    try:
        with waits.left():
            order.append("waiting")
    finally:
        waits.leave_by(nullcontext)
    assert order == ["left", "waiting", "taken again"]
