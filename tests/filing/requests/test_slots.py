"""A number of callers run at once; others wait for a slot, and are refused when none is freed."""

from __future__ import annotations

import threading

import pytest

from filing.errors import Busy
from filing.requests import RequestSlots


def busy() -> Busy:
    return Busy("All slots are taken.", 7)


def test_who_gets_no_slot_is_refused() -> None:
    slots = RequestSlots(1, busy)
    with (
        slots.take(),
        pytest.raises(Busy, match="All slots are taken") as refusal,
        slots.take(wait_seconds=0.01),
    ):
        pass
    assert refusal.value.seconds == 7


def test_a_slot_is_free_again_after_an_error() -> None:
    slots = RequestSlots(1, busy)
    with pytest.raises(ZeroDivisionError), slots.take():
        raise ZeroDivisionError
    with slots.take(wait_seconds=0.01):
        pass


def test_who_waits_takes_the_slot_that_is_freed() -> None:
    slots, order = RequestSlots(1, busy), []
    entered = threading.Event()

    def wait() -> None:
        entered.set()
        with slots.take(wait_seconds=10):
            order.append("second")

    thread = threading.Thread(target=wait)
    with slots.take():
        thread.start()
        entered.wait()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
