"""Names of the processes that work on jobs, and whether such a process still exists.

A name has the machine, the process and the claim. Two machines, or two containers of one, may have
the same host name and use the same numbers for their processes, so a mark of what numbers them is a
part of the name: a process must never be taken for one of another machine.
"""

from __future__ import annotations

import hashlib
import os
import socket
import uuid
from contextlib import suppress
from functools import cache
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_NUMBERING = Path("/proc/self/ns/pid")  # a link, to another place in each container
_SEPARATOR = ":"


def new_owner() -> str:
    """Return a unique name for one claim of this process."""
    return _SEPARATOR.join((_machine(), str(os.getpid()), uuid.uuid4().hex[:12]))


def of_this_machine() -> str:
    """Return how the names of all claims of this machine begin."""
    return f"{_machine()}{_SEPARATOR}"


def has_ended(owner: str) -> bool:
    """Tell whether the process of a claim was one of this machine, and exists no more."""
    if not owner.startswith(of_this_machine()):
        return False
    process = owner.removeprefix(of_this_machine()).partition(_SEPARATOR)[0]
    return process.isdecimal() and not is_running(int(process))


def is_running(process: int) -> bool:
    """Tell whether this machine has a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it exists and belongs to another user
        return True
    return True


@cache
def _machine() -> str:
    facts = f"{uuid.getnode()}"
    with suppress(OSError):  # only Linux has them
        facts = f"{_BOOT.read_text()} {os.readlink(_NUMBERING)}"
    return f"{socket.gethostname()[:40]}-{hashlib.sha256(facts.encode()).hexdigest()[:8]}"
