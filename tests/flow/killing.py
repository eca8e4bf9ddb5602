"""End processes of a service."""

from __future__ import annotations

import signal

from tests.flow.conftest import Service
from tests.flow.processes import parent_of, signal_all


def kill(processes: list[int]) -> None:
    assert processes
    signal_all(processes, signal.SIGKILL)


def children(service: Service) -> set[int]:
    """Return the processes in which the workers do their work."""
    workers = set(service.processes(" worker "))
    return {process for process in workers if parent_of(process) in workers}
