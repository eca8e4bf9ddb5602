"""A DuckDB for files of more rows than memory holds: it puts aside on disk what does not fit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from databrowser.publication.lazy_imports import duckdb

# As many rows in a row group as DuckDB takes at a time from its own tables: a filter on a place
# skips most of the others.
GROUP_ROWS = 122_880
PARQUET = f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP_ROWS})"
THREADS = 2
_LOOK_AGAIN_SECONDS = 0.5

# Told the part of a statement that is done, from 0 to 1.
Progress = Callable[[float], None]


@contextmanager
def opened(
    folder: Path, file: Path | None = None, *, memory_mb: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a database in a file, without one in memory; folder: where it puts aside the rest.

    memory_mb: less than what one build may take.
    """
    most = min(memory_mb or settings.PUBLISH_MEMORY_MB, settings.PUBLISH_MEMORY_MB)
    limits: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{most}MB",
        "threads": THREADS,
        "temp_directory": str(folder / "aside"),
        "preserve_insertion_order": True,
    }
    with duckdb.connect(str(file or ":memory:"), config=limits) as database:
        yield database


def text(value: object) -> str:
    """Return a path or another text as it is written in a statement that takes no parameters."""
    return "'" + str(value).replace("'", "''") + "'"


def texts(values: list[str]) -> str:
    """Return a list of texts as it is written in a statement."""
    return f"[{', '.join(map(text, values))}]"


def run(
    database: duckdb.DuckDBPyConnection, statement: str, progress: Progress | None = None
) -> None:
    """Run a statement, telling how far it is from time to time."""
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
    while not ended.wait(_LOOK_AGAIN_SECONDS):
        progress(max(0.0, min(database.query_progress() / 100, 1.0)))
