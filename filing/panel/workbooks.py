"""Reads the rows of an XLSX workbook as text, without trusting it.

A workbook is read in a process of its own with limits on time and memory: whatever a file contains,
this process continues.
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
MOST_RATIO = 200  # of the bytes of all parts to those of the file; in a large panel it is 20
MOST_COLUMNS = 200
MOST_TEXT_BYTES = 100 * 1024**2
MOST_SECONDS = 240  # 100,000 rows take a minute on an idle machine
MOST_MEMORY = 1024**3

_CODE = Path(__file__).resolve().parents[2]
_ENVIRONMENT = {
    "OPENPYXL_LXML": "False",  # use the parser that has checked the parts
    "OPENBLAS_NUM_THREADS": "1",  # more threads would need more memory
}


def rows(name: str, content: bytes, *, most: int) -> Iterator[Row]:
    """Yield the rows that are not blank: number, cells as text, and faults by cell.

    The header comes first; rows are as long as it, or longer where they have more. most: the
    maximum number of rows; one more is read.

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
    with tempfile.TemporaryFile() as output:
        _read(name, content, limits, output=output)
        output.seek(0)
        for line in output:
            number, cells, faults = json.loads(line)
            yield number, cells, [(position, fault) for position, fault in faults]


def _read(name: str, content: bytes, limits: Limits, *, output: IO[bytes]) -> None:
    """Let another process write the rows to a file; it is ended when its time is over."""
    reader = [sys.executable, "-W", "ignore", "-m", workbook_reader.__name__, limits.as_json()]
    try:
        process = subprocess.run(  # noqa: S603 -- our own program
            reader,
            input=content,
            stdout=output,
            stderr=subprocess.PIPE,
            cwd=_CODE,
            env=os.environ | _ENVIRONMENT,
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _limits_exceeded(name, limits) from error
    if process.returncode == workbook_reader.REFUSED:
        is_too_large, message = json.loads(process.stderr)
        raise (TooLarge if is_too_large else BadInput)(f"{name} {message}")
    # The system ended it for its time or memory, or too little memory was left to say so.
    if process.returncode < 0 or b"MemoryError" in process.stderr:
        raise _limits_exceeded(name, limits)
    if process.returncode:
        raise RuntimeError(f"The reader of workbooks failed: {process.stderr.decode()[-2_000:]}")


def _limits_exceeded(name: str, limits: Limits) -> TooLarge:
    return TooLarge(
        f"{name} takes more than {limits.seconds} seconds or {limits.memory // 1024**2:,} MB of "
        f"memory to read. A panel has at most {limits.rows - 1:,} rows and {limits.columns} "
        "columns: import it in parts, or save it as CSV UTF-8."
    )
