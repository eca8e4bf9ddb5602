"""Looks: one at a time, kept for a moment, and none is waited for longer than the caller has."""

from __future__ import annotations

import threading
import time

import pytest

from config.health.live_checks import Latest, wait_for_look

SECONDS = 10


def test_one_that_hangs_is_not_waited_for_and_not_repeated() -> None:
    may_end, looks = threading.Event(), []

    def see() -> str:
        looks.append(1)
        may_end.wait(SECONDS)
        return "seen"

    latest = Latest(see, failed="failed", name="test")
    for _ in range(3):
        look = latest.current(kept_seconds=5)
        assert wait_for_look(look, until=time.monotonic() + 0.05, late="late") == "late"
    may_end.set()
    assert latest.current(kept_seconds=5).result(SECONDS) == "seen"
    assert len(looks) == 1


def test_an_error_is_a_failure_and_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    latest = Latest(lambda: str(1 / 0), failed="failed", name="numbers")
    assert latest.current(kept_seconds=5).result(SECONDS) == "failed"
    assert "A look at numbers failed" in caplog.text
    assert "ZeroDivisionError" in caplog.text
