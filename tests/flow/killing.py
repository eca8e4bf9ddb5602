"""End processes of a service."""

from __future__ import annotations

import os
import re
import signal
from contextlib import suppress
from pathlib import Path

from tests.flow.conftest import Service


def kill(pids: list[int]) -> None:
    assert pids
    for pid in pids:
        with suppress(ProcessLookupError):  # it may have gone with its parent
            os.kill(pid, signal.SIGKILL)


def children(service: Service) -> set[int]:
    """Return the processes in which the workers do their work."""
    workers = set(service.processes(" worker "))
    return {pid for pid in workers if parent(pid) in workers}


def parent(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^PPid:\s+(\d+)", status, re.MULTILINE)[1])
