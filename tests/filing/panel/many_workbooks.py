"""Reads one workbook after another as the reader of workbooks does, each in a process of its own.

A process that has the modules already is forked for each: to start one takes far longer than to
read a small workbook. `python -m tests.filing.panel.many_workbooks LIMITS` reads, on its standard
input, the length of each workbook in four bytes and then the workbook. It answers each with a line
of JSON: how the process ended, the rows that it wrote, what it wrote on its standard error.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from filing.panel import xlsx_reader

_ROOT = Path(__file__).resolve().parents[3]
_LENGTH = struct.Struct("<I")


class Ending(NamedTuple):
    """How a process ended. code: as of `subprocess`, negative for a signal."""

    code: int
    rows: int
    said: str


class Readers:
    """Reads workbooks in processes of their own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def read(self, content: bytes) -> Ending:
        """Return how the process that read a workbook ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(_LENGTH.pack(len(content)) + content)
        self._process.stdin.flush()
        return Ending(*json.loads(self._process.stdout.readline()))


@contextmanager
def readers(limits: str) -> Iterator[Readers]:
    """Yield a reader of many workbooks."""
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", __name__, limits],
        cwd=_ROOT,
        env=os.environ | {"OPENPYXL_LXML": "False", "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        yield Readers(process)


def main(limits: str) -> None:
    """Answer until there are no more workbooks."""
    while length := sys.stdin.buffer.read(_LENGTH.size):
        content = sys.stdin.buffer.read(*_LENGTH.unpack(length))
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as rows:
            given.write(content)
            given.seek(0)
            with tempfile.TemporaryFile() as said:
                process = os.fork()
                if not process:
                    _read(limits, given, rows, said)
                _, status = os.waitpid(process, 0)
                said.seek(0)
                rows.seek(0)
                ending = Ending(
                    os.waitstatus_to_exitcode(status), sum(1 for _ in rows), said.read().decode()
                )
        print(json.dumps(ending), flush=True)


def _read(limits: str, given: IO[bytes], rows: IO[bytes], said: IO[bytes]) -> None:
    """Read a workbook in this process, and end it."""
    for number, file in enumerate((given, rows, said)):
        os.dup2(file.fileno(), number)
    code = 1
    try:
        xlsx_reader.main(limits)
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1])
