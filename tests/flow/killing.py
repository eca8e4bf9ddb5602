"""End processes of a service."""

from __future__ import annotations

import signal

from tests.flow.processes import signal_all


def kill(processes: list[int]) -> None:
    assert processes
    signal_all(processes, signal.SIGKILL)
