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
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from databrowser.models import (
    Dataset,
    Version,
    name_data_set,
    name_page_address,
    name_permanent_address,
)
from databrowser.publication.layout import LOANS, SERVING
from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.scratch_database import quote
from databrowser.publication.versions import live_versions
from filing import storage
from filing.errors import Refusal
from filing.requests import RequestSlots

# Data sets that stay attached: those that are published, and some other versions. Each is an open
# file; attaching one takes milliseconds.
MOST_ATTACHED = 24


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
    def reading(self, data_sets: Sequence[LiveYear]) -> Iterator[dict[int, str]]:
        """Yield the names under which some data sets can be queried, by year.

        A few stay attached for the next query; of more, those are detached that have no readers and
        were read the longest time ago.
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
                self._detach_unused()

    def _attach(self, folder: str, file: Path) -> str:
        attached = self._attached.pop(folder, None)
        if attached is None:
            self._number += 1
            attached = _Attached(f"data_set_{self._number}")
            self._database.execute(f"ATTACH {quote(file)} AS {attached.name} (READ_ONLY)")
            attached.columns = self._list_columns(attached.name)
        self._attached[folder] = attached  # at the end: it was read last
        attached.readers += 1
        return attached.name

    def _list_columns(self, name: str) -> frozenset[tuple[str, str]]:
        listed = "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = ?"
        return frozenset(self._database.execute(listed, [name]).fetchall())

    def has_table(self, name: str, table: str) -> bool:
        """Return whether a data set, by its name while it is read, has a table.

        One that a former release built may lack a rollup.
        """
        return any(table == each for each, _ in self._columns_of(name))

    def has_column(self, name: str, table: str, column: str) -> bool:
        """Return whether a table of a data set, by its name while it is read, has a column."""
        return (table, column) in self._columns_of(name)

    def _columns_of(self, name: str) -> frozenset[tuple[str, str]]:
        with self._lock:
            columns = (each.columns for each in self._attached.values() if each.name == name)
            return next(columns, frozenset())

    def _detach_unused(self) -> None:
        unused = [folder for folder, attached in self._attached.items() if not attached.readers]
        for folder in unused[: max(0, len(self._attached) - MOST_ATTACHED)]:
            self._database.execute(f"DETACH {self._attached.pop(folder).name}")

    @property
    def attached(self) -> tuple[str, ...]:
        """The storage folders of the attached data sets."""
        return tuple(self._attached)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection to the same database for one query."""
        with self._lock:
            return self._database.cursor()

    def download_cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection of one thread: a query with a limit gives the order of its file."""
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
    """An attached data set with the number of its readers, and its columns by table."""

    def __init__(self, name: str) -> None:
        self.name, self.readers, self.columns = name, 0, frozenset[tuple[str, str]]()


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
    """The data set of one year that answers a request: the published one, or a version it names.

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
    dataset: str = Dataset.DYNAMIC
    made_at: datetime | None = None

    @classmethod
    def of(cls, version: Version) -> LiveYear:
        """Return the data set of a version."""
        return cls(
            version.year,
            version.number,
            version.name,
            version.rows,
            version.sha256,
            version.folder,
            version.is_demo,
            version.dataset,
            version.made_at,
        )

    @property
    def dataset_name(self) -> str:
        """Its data set as in a sentence: `2024 data set`, `2024 snapshot`."""
        return name_data_set(self.year, self.dataset)

    @property
    def permanent_address(self) -> str:
        """The address that its version keeps for good."""
        return name_permanent_address(self.name, self.sha256)

    @property
    def page_address(self) -> str:
        """The address of the page of its version."""
        return name_page_address(self.name, self.sha256)

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
    published = live_versions.published_versions().defer("version__manifest")
    return tuple(LiveYear.of(live.version) for live in published)
