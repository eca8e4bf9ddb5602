"""The processes of a service."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from tests.flow.conftest import Service

SECONDS = 120


def wait_until(holds: Callable[[], object], what: str) -> None:
    until = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < until, f"not within {SECONDS} seconds: {what}"
        time.sleep(0.1)


def workers(service: Service) -> set[int]:
    """Return the web processes without the one that started them."""
    found = set(service.processes("gunicorn"))
    return {each for each in found if parent_of(each) in found}


def parent_of(process: int) -> int:
    """Return the process that has started a process; 0 for one that is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return int(re.search(r"^PPid:\t(\d+)", status, re.M)[1])  # type: ignore[index]
