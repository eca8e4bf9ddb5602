"""The data sets that are published now, and the DuckDB connections that query them.

All readers get the data sets from here. A process has limits for its connections, the attached data
sets and the queries.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from databrowser.publication.layout import LOANS, SERVING
from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.scratch_database import quote
from databrowser.publication.versions import live_versions
from filing import storage
from filing.errors import Refusal
from filing.requests import RequestSlots


class QueriesUnavailable(Refusal):
    """A valid query that cannot be answered now. seconds: when to try again."""

    status = 503
    error_type = "busy"
    seconds = 5

    @property
    def body(self) -> dict[str, str]:
        """The JSON of the refusal."""
        return {"errorType": self.error_type, "message": self.message}


class QueriesBusy(QueriesUnavailable):
    """The refusal when all slots are taken."""

    def __init__(self) -> None:
        super().__init__("The data browser is busy. Try again in 5 seconds.")


class QueryTooSlow(QueriesUnavailable):
    """The refusal of a query that took too long."""

    error_type = "too-slow"
    seconds = 60

    def __init__(self) -> None:
        super().__init__(
            f"This query took more than {settings.BROWSER_SECONDS} seconds and was stopped. "
            "Choose fewer years or a smaller area."
        )


class QueryEngine:
    """The connections shared by the threads of a process."""

    def __init__(self) -> None:
        self._database = _connection(settings.BROWSER_THREADS)
        self._downloads = _connection(1)
        self._lock = threading.Lock()
        self._attached: dict[str, _Attached] = {}
        self._number = 0
        self.query_slots = RequestSlots(settings.BROWSER_QUERIES, QueriesBusy)
        self.download_slots = RequestSlots(settings.BROWSER_DOWNLOADS, QueriesBusy)

    @contextmanager
    def reading(
        self, data_sets: Sequence[LiveYear], *, live: Sequence[LiveYear]
    ) -> Iterator[dict[int, str]]:
        """Yield the names under which some data sets can be queried, by year.

        live: all published ones of this snapshot. Others are detached once they have no readers.
        """
        # Before the lock is taken: they may have to be fetched.
        files = {data_set.year: data_set.serving for data_set in data_sets}
        names: dict[int, str] = {}
        try:
            with self._lock:
                for data_set in data_sets:
                    names[data_set.year] = self._attach(data_set.folder, files[data_set.year])
            yield names
        finally:
            with self._lock:
                for data_set in data_sets:
                    if data_set.year in names:
                        self._attached[data_set.folder].readers -= 1
                self._detach_unused({data_set.folder for data_set in live})

    def _attach(self, folder: str, file: Path) -> str:
        attached = self._attached.get(folder)
        if attached is None:
            self._number += 1
            attached = self._attached[folder] = _Attached(f"data_set_{self._number}")
            try:
                self._database.execute(f"ATTACH {quote(file)} AS {attached.name} (READ_ONLY)")
                attached.tables = self._list_tables(attached.name)
            except BaseException:
                del self._attached[folder]
                raise
        attached.readers += 1
        return attached.name

    def _list_tables(self, name: str) -> frozenset[str]:
        listed = "SELECT table_name FROM duckdb_tables() WHERE database_name = ?"
        return frozenset(table for (table,) in self._database.execute(listed, [name]).fetchall())

    def has_table(self, name: str, table: str) -> bool:
        """Return whether a data set, by its name while it is read, has a table.

        One that a former release built may lack a rollup.
        """
        with self._lock:
            attached = list(self._attached.values())
        return any(each.name == name and table in each.tables for each in attached)

    def _detach_unused(self, live: set[str]) -> None:
        for folder, attached in list(self._attached.items()):
            if folder not in live and not attached.readers:
                self._database.execute(f"DETACH {attached.name}")
                del self._attached[folder]

    @property
    def attached(self) -> tuple[str, ...]:
        """The storage folders of the attached data sets."""
        return tuple(self._attached)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection to the same database for one query."""
        with self._lock:
            return self._database.cursor()

    def download_cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection whose query gives its rows in the order of the file it reads."""
        with self._lock:
            return self._downloads.cursor()

    def rows(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Run a query and return all its rows. Raises: QueriesBusy, QueryTooSlow."""
        with self.query_slots.take(), time_limit(self.cursor()) as cursor:
            return cursor.execute(statement, list(values)).fetchall()


def _connection(threads: int) -> duckdb.DuckDBPyConnection:
    """Return a database in memory with our limits."""
    database = duckdb.connect()
    for statement in (
        f"SET threads = {threads:d}",
        f"SET memory_limit = '{settings.BROWSER_MEMORY_MB:d}MB'",
        f"SET temp_directory = {quote(settings.FILE_UPLOAD_TEMP_DIR / 'work-queries')}",
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
    ):
        database.execute(statement)
    return database


class _Attached:
    """An attached data set with the number of its readers, and its tables."""

    def __init__(self, name: str) -> None:
        self.name, self.readers, self.tables = name, 0, frozenset[str]()


@contextmanager
def time_limit(cursor: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a cursor whose query is stopped when it takes too long, and close it in the end.

    Raises: QueryTooSlow; QueriesBusy when others have taken all memory.
    """
    timer = threading.Timer(settings.BROWSER_SECONDS, cursor.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield cursor
    except duckdb.InterruptException as error:
        raise QueryTooSlow from error
    except duckdb.OutOfMemoryException as error:
        raise QueriesBusy from error
    finally:
        timer.cancel()
        cursor.close()


@cache
def shared_engine() -> QueryEngine:
    """Return the engine of this process."""
    return QueryEngine()


# A connection that outlives the interpreter's own objects causes a warning when the process ends.
atexit.register(shared_engine.cache_clear)


@dataclass(frozen=True, slots=True)
class LiveYear:
    """The published data set of one year, unchanged while a request is answered.

    version: its number within the year. name: such as `2023-4`. sha256: of its manifest, and so of
    all its content. folder: of its files in storage. is_demo: some records are made up.
    """

    year: int
    version: int
    name: str
    rows: int
    sha256: str
    folder: str
    is_demo: bool = False

    @property
    def serving(self) -> Path:
        """The serving file, on this machine."""
        return storage.open_local_copy(f"{self.folder}/{SERVING}")

    @property
    def parquet(self) -> Path:
        """The Parquet file on this machine with all records, sorted by place and institution."""
        return storage.open_local_copy(f"{self.folder}/{LOANS}")


def live_data_sets() -> tuple[LiveYear, ...]:
    """Return the published data sets by year. Call it once per request, for a single snapshot."""
    published = live_versions.published_versions().values_list(
        *("version__year", "version__number", "version__rows", "version__sha256"),
        *("version__folder", "version__is_demo"),
    )
    return tuple(
        LiveYear(year, number, f"{year}-{number}", rows, sha256, folder, is_demo)
        for year, number, rows, sha256, folder, is_demo in published
    )
