"""Runs a program that reads untrusted files in a process of its own, with limits of the system.

Whatever a file contains, the process that asks continues. The standard library is enough.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

_CODE = Path(__file__).resolve().parents[2]
_NICE = 10  # as the workers of large files


class LimitsExceeded(Exception):
    """The system ended the program for its time or memory."""


class ProgramFailed(Exception):
    """The program ended with an exit code. message: what it wrote to standard error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"The reader of workbooks failed: {message[-2_000:]}")
        self.code, self.message = code, message


def run_confined_program(
    module: str,
    *arguments: str,
    seconds: int,
    output: IO[bytes],
    content: bytes,
    environment: Mapping[str, str],
) -> None:
    """Let another process read a file and write to `output`; it is ended when its time is over.

    content: its standard input.
    Raises: LimitsExceeded; ProgramFailed.
    """
    try:
        process = subprocess.run(  # noqa: S603 -- our own program
            [sys.executable, "-W", "ignore", "-m", module, *arguments],
            input=content,
            stdout=output,
            stderr=subprocess.PIPE,
            cwd=_CODE,
            env={**os.environ, **environment},
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LimitsExceeded from error
    # The system ended it for its time or memory, or too little memory was left to say so.
    if process.returncode < 0 or b"MemoryError" in process.stderr:
        raise LimitsExceeded
    if process.returncode:
        raise ProgramFailed(process.returncode, process.stderr.decode(errors="replace"))


def limit_process(*, seconds: int, memory: int) -> None:
    """Let the system end this process when it needs more, also if its parent is gone.

    On a busy machine it gets what pages and the checks of filed files leave. memory: what it may
    write to, and not addresses, of which libraries reserve many times what they use.
    """
    if hasattr(os, "nice"):  # Windows has none
        os.nice(_NICE)
    _limit("RLIMIT_CPU", seconds)
    _limit("RLIMIT_DATA", memory)


def lift_memory_limit() -> None:
    """Let this process say that it had too little memory, which needs memory."""
    _limit("RLIMIT_DATA", None)


def _limit(name: str, most: int | None) -> None:
    """Set a limit of the system for this process, or lift it; Windows has none."""
    try:
        import resource
    except ImportError:
        return
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (hard if most is None else most, hard))
