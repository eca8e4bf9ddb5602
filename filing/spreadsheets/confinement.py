"""Runs a reader of untrusted files in a process of its own, with limits on time and memory.

Whatever a file contains, the process that asks continues. The standard library is enough.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, NoReturn

REFUSED = 3  # the exit code after a refusal was written to standard error

_CODE = Path(__file__).resolve().parents[2]
_LONGEST_MESSAGE = 1_000
_NICE = 10  # as the workers of large files


class FileRefused(Exception):
    """The file is not read. The message follows the name of the file."""

    is_too_large = False


class Oversized(FileRefused):
    """The file exceeds a limit."""

    is_too_large = True


class LimitsExceeded(Exception):
    """The system ended the reader for its time or memory."""


def run_confined_reader(
    module: str,
    argument: str,
    *,
    seconds: int,
    output: IO[bytes],
    content: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> None:
    """Let another process read a file and write to `output`; it is ended when its time is over.

    content: its standard input.
    Raises: FileRefused, as the reader said it; LimitsExceeded.
    """
    try:
        process = subprocess.run(  # noqa: S603 -- our own program
            [sys.executable, "-W", "ignore", "-m", module, argument],
            input=content,
            stdout=output,
            stderr=subprocess.PIPE,
            cwd=_CODE,
            env={**os.environ, **(environment or {})},
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LimitsExceeded from error
    if process.returncode == REFUSED:
        is_too_large, message = json.loads(process.stderr)
        raise (Oversized if is_too_large else FileRefused)(message)
    # The system ended it for its time or memory, or too little memory was left to say so.
    if process.returncode < 0 or b"MemoryError" in process.stderr:
        raise LimitsExceeded
    if process.returncode:
        raise RuntimeError(f"The reader of workbooks failed: {process.stderr.decode()[-2_000:]}")


def read_confined(
    read: Callable[[], None], *, seconds: int, memory: int, unreadable: Callable[[], FileRefused]
) -> None:
    """In the other process: read within the limits of the system, and report refusals.

    unreadable: the refusal for any other error, since libraries have no exception of their own for
    broken files.
    """
    limit_process(seconds=seconds, memory=memory)
    try:
        read()
    except MemoryError:
        _limit("RLIMIT_AS", None)  # even a refusal needs memory
        _refuse(Oversized(f"needs more than {memory // 1024**2:,} MB of memory to read."))
    except FileRefused as refusal:
        _refuse(refusal)
    except Exception:
        _refuse(unreadable())


def limit_process(*, seconds: int, memory: int) -> None:
    """Let the system end this process when it needs more, also if its parent is gone.

    On a busy machine it gets what pages and the checks of filed files leave.
    """
    if hasattr(os, "nice"):  # Windows has none
        os.nice(_NICE)
    _limit("RLIMIT_CPU", seconds)
    _limit("RLIMIT_AS", memory)


def _limit(name: str, most: int | None) -> None:
    """Set a limit of the system for this process, or lift it; Windows has none."""
    try:
        import resource
    except ImportError:
        return
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (hard if most is None else most, hard))


def _refuse(refusal: FileRefused) -> NoReturn:
    message = str(refusal)[:_LONGEST_MESSAGE]
    sys.stderr.write(json.dumps([refusal.is_too_large, message]))
    sys.exit(REFUSED)
