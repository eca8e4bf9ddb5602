"""Reads the rows of an XLSX workbook as text, without trusting it.

A workbook is read in a process of its own, which has so many seconds and so much memory: whatever
a file holds, the process that asked for it goes on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from filing.errors import BadInput, TooLarge
from filing.panel import workbook_reader
from filing.panel.workbook_limits import Limits
from filing.panel.workbook_reader import Row

MOST_UNPACKED_BYTES = 200 * 1024**2
MOST_PARTS = 1_000
MOST_RATIO = 200  # of the bytes of all parts to those of the file; a large panel has 20
MOST_COLUMNS = 200
MOST_TEXT_BYTES = 100 * 1024**2
MOST_SECONDS = 240  # 100,000 rows take a minute where nothing else runs
MOST_MEMORY = 1024**3

_CODE = Path(__file__).resolve().parents[2]
_ENVIRONMENT = {
    "OPENPYXL_LXML": "False",  # the parser that looked at the parts is the one that reads them
    "OPENBLAS_NUM_THREADS": "1",  # each further thread would take of the memory
}


def rows(name: str, content: bytes, *, most: int) -> Iterator[Row]:
    """Yield the rows that are not blank: number, cells as text, and what is wrong by cell.

    The header comes first; rows are as long as it, or longer where they have more. most: as many
    rows are looked at, and one more.

    Raises: BadInput when the workbook as a whole cannot be read; TooLarge.
    """
    limits = Limits(
        rows=most,
        columns=MOST_COLUMNS,
        parts=MOST_PARTS,
        unpacked=MOST_UNPACKED_BYTES,
        ratio=MOST_RATIO,
        text=MOST_TEXT_BYTES,
        seconds=MOST_SECONDS,
        memory=MOST_MEMORY,
    )
    with tempfile.TemporaryFile() as written:
        _read(name, content, limits, into=written)
        written.seek(0)
        for line in written:
            number, cells, faults = json.loads(line)
            yield number, cells, [(place, fault) for place, fault in faults]


def _read(name: str, content: bytes, limits: Limits, *, into: IO[bytes]) -> None:
    """Let a process of its own write the rows into a file; it is ended when its time is over."""
    reader = [sys.executable, "-W", "ignore", "-m", workbook_reader.__name__, limits.as_json()]
    try:
        done = subprocess.run(  # noqa: S603 -- our own program
            reader,
            input=content,
            stdout=into,
            stderr=subprocess.PIPE,
            cwd=_CODE,
            env=os.environ | _ENVIRONMENT,
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _unfinished(name, limits) from error
    if done.returncode == workbook_reader.REFUSED:
        is_too_large, message = json.loads(done.stderr)
        raise (TooLarge if is_too_large else BadInput)(f"{name} {message}")
    # The system has ended it, for its time or its memory; or there was too little to say so.
    if done.returncode < 0 or b"MemoryError" in done.stderr:
        raise _unfinished(name, limits)
    if done.returncode:
        raise RuntimeError(f"The reader of workbooks failed: {done.stderr.decode()[-2_000:]}")


def _unfinished(name: str, limits: Limits) -> TooLarge:
    return TooLarge(
        f"{name} takes more than {limits.seconds} seconds or {limits.memory // 1024**2:,} MB of "
        f"memory to read. A panel has at most {limits.rows - 1:,} rows and {limits.columns} "
        "columns: import it in parts, or save it as CSV UTF-8."
    )
