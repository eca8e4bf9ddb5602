"""Which process of the tests runs which files.

Each file is run by one process. Those that talk to the same running service are run by one process
together, first of all: to start a service takes longer than most files.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadFileScheduling

FLOW = Path(__file__).resolve().parent / "flow"
OWN = "run_service"  # the fixture of files that start a service of their own


@cache
def has_shared_service(path: str) -> bool:
    """Return whether a file of tests talks to the service that most of them talk to."""
    file = FLOW.parents[1] / path
    return file.parent == FLOW and OWN not in file.read_text()


class Scheduling(LoadFileScheduling):
    """Gives files to processes, those with the shared service to one."""

    def _split_scope(self, nodeid: str) -> str:
        path = super()._split_scope(nodeid)
        return str(FLOW) if has_shared_service(path) else path
