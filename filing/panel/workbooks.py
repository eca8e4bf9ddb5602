"""Reads the rows of an XLSX workbook as text, without trusting it.

A workbook is read in a process of its own with limits on time and memory: whatever a file contains,
this process continues.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from typing import IO

from filing.errors import BadInput, TooLarge
from filing.panel import workbook_reader
from filing.panel.workbook_limits import Limits
from filing.panel.workbook_reader import Row
from filing.spreadsheets import confinement
from filing.spreadsheets.confinement import LimitsExceeded, Refused

MOST_UNPACKED_BYTES = 200 * 1024**2
MOST_PARTS = 1_000
MOST_RATIO = 200  # of the bytes of all parts to those of the file; in a large panel it is 20
MOST_COLUMNS = 200
MOST_TEXT_BYTES = 100 * 1024**2
MOST_SECONDS = 240  # 100,000 rows take a minute on an idle machine
MOST_MEMORY = 1024**3

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
    try:
        confinement.run(
            workbook_reader.__name__,
            limits.as_json(),
            content=content,
            output=output,
            seconds=limits.seconds,
            environment=_ENVIRONMENT,
        )
    except Refused as refused:
        raise (TooLarge if refused.is_too_large else BadInput)(f"{name} {refused}") from None
    except LimitsExceeded as error:
        raise _limits_exceeded(name, limits) from error


def _limits_exceeded(name: str, limits: Limits) -> TooLarge:
    return TooLarge(
        f"{name} takes more than {limits.seconds} seconds or {limits.memory // 1024**2:,} MB of "
        f"memory to read. A panel has at most {limits.rows - 1:,} rows and {limits.columns} "
        "columns: import it in parts, or save it as CSV UTF-8."
    )
