"""Which process of the tests runs which files.

Each file is run by one process. Those that talk to the same running service are run by one process
together: to start a service takes longer than most files. Whichever process is free takes the next
service, so both have one from the beginning, and neither waits for the other.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from xdist.scheduler import LoadFileScheduling

FLOW = Path(__file__).resolve().parent / "flow"
# The fixtures of services that several files share. Files that use two of them run with the first.
PROFILES = ("breakable", "breakable_bucket", "bucket", "limits", "service")


@cache
def find_profile(path: str) -> str:
    """Return the shared service that a file of tests talks to; blank where there is none.

    It is known by the arguments of its tests and fixtures: the tests are not imported here.
    """
    file = FLOW.parents[1] / path
    if file.parent != FLOW:
        return ""
    text = file.read_text()
    arguments = re.findall(
        r"^(@pytest\.fixture.*)\ndef \w+\(([^)]*)|^def test_\w+\(([^)]*)", text, re.M
    )
    words = {*re.findall(r"\w+", str(arguments))}
    used = [profile for profile in PROFILES if profile in words]
    return used[0] if used else ""


class Scheduling(LoadFileScheduling):
    """Gives files to processes, those with the same service to one."""

    def _split_scope(self, nodeid: str) -> str:
        path = super()._split_scope(nodeid)
        profile = find_profile(path)
        return f"{FLOW}: {profile}" if profile else path
