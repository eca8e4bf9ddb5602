"""Temporary DuckDB databases for files larger than memory, which spill to disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from databrowser.publication.lazy_imports import duckdb

# The number of rows that DuckDB processes at a time: with row groups of this size, a filter by
# place skips most of them.
GROUP_ROWS = 122_880
PARQUET = f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP_ROWS})"
THREADS = 2
_POLL_SECONDS = 0.5

# Called with the completed share of a statement, from 0 to 1.
Progress = Callable[[float], None]


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


def quote_all(values: list[str]) -> str:
    """Return a list of texts as an SQL literal."""
    return f"[{', '.join(map(quote, values))}]"


def run_statement(
    database: duckdb.DuckDBPyConnection, statement: str, progress: Progress | None = None
) -> None:
    """Run a statement, reporting its progress regularly."""
    if progress is None:
        database.execute(statement)
        return
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(database, ended, progress), daemon=True)
    watcher.start()
    try:
        database.execute(statement)
    finally:
        ended.set()
        watcher.join()


def _watch(database: duckdb.DuckDBPyConnection, ended: threading.Event, progress: Progress) -> None:
    while not ended.wait(_POLL_SECONDS):
        progress(max(0.0, min(database.query_progress() / 100, 1.0)))
