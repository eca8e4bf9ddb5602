"""Temporary DuckDB databases for files larger than memory, which spill to disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from databrowser.publication.lazy_imports import duckdb

# The number of rows that DuckDB processes at a time: with row groups of this size, a filter by
# place skips most of them.
GROUP_ROWS = 122_880
THREADS = 2

# Called with the completed share of some work, from 0 to 1.
Progress = Callable[[float], None]


def narrow_progress(progress: Progress, begin: float, end: float) -> Progress:
    """Return the progress of a part of some work, whose ends are these shares of the whole."""
    return lambda share: progress(begin + share * (end - begin))


@contextmanager
def connect_scratch(folder: Path, file: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a database in a file, or in memory without one.

    folder: for what does not fit in memory.
    """
    limits: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{settings.PUBLISH_MEMORY_MB}MB",
        "threads": THREADS,
        "temp_directory": str(folder / "aside"),
        "preserve_insertion_order": True,
    }
    with duckdb.connect(str(file or ":memory:"), config=limits) as database:
        yield database


def quote(value: object) -> str:
    """Return a path or text as an SQL literal, for statements without parameters."""
    return "'" + str(value).replace("'", "''") + "'"
