"""The one DuckDB connection of a process: its limits, the data sets it has open, its queries.

Memory and threads are shared by all queries of the process, and few of them run at once: who finds
no place is told to come back. A data set is attached when it is first asked and let go when it is
no longer public and nobody reads it. What a reader has begun on, it ends on.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.scratch_database import text
from databrowser.publication.serving.data_sets import LiveYear
from filing.errors import Refusal

_WAIT_SECONDS = 2  # for a place, before the caller is sent away


class Unavailable(Refusal):
    """A question that is right, and not answered now. seconds: when to ask again."""

    status = 503
    error_type = "busy"
    seconds = 5

    @property
    def body(self) -> dict[str, str]:
        """The answer."""
        return {"errorType": self.error_type, "message": self.message}


class Busy(Unavailable):
    """As many queries are running as may."""

    def __init__(self) -> None:
        super().__init__("The data browser is busy with other questions. Ask again in 5 seconds.")


class TooSlow(Unavailable):
    """The query took longer than one may."""

    error_type = "too-slow"
    seconds = 60

    def __init__(self) -> None:
        super().__init__(
            f"This question took more than {settings.BROWSER_SECONDS} seconds and was stopped. "
            "Ask for fewer years, or for a smaller area."
        )


class Engine:
    """One connection, shared by the threads of a process."""

    def __init__(self) -> None:
        self._database = duckdb.connect()
        self._guard = threading.Lock()
        self._attached: dict[str, _Attached] = {}
        self._number = 0
        self.questions = Places(settings.BROWSER_QUERIES)
        self.downloads = Places(settings.BROWSER_DOWNLOADS)
        for statement in (
            f"SET threads = {settings.BROWSER_THREADS:d}",
            f"SET memory_limit = '{settings.BROWSER_MEMORY_MB:d}MB'",
            f"SET temp_directory = {text(settings.FILE_UPLOAD_TEMP_DIR / 'work-queries')}",
            "SET autoinstall_known_extensions = false",
            "SET autoload_known_extensions = false",
        ):
            self._database.execute(statement)

    @contextmanager
    def reading(
        self, wanted: Sequence[LiveYear], *, live: Sequence[LiveYear]
    ) -> Iterator[dict[int, str]]:
        """Give the names under which the data sets of some years can be asked, by year.

        live: all that are public in the same snapshot: others are let go once nobody reads them.
        """
        files = {each.year: each.serving for each in wanted}  # which may have to be fetched
        names: dict[int, str] = {}
        try:
            with self._guard:
                for each in wanted:
                    names[each.year] = self._attach(each.folder, files[each.year])
            yield names
        finally:
            with self._guard:
                for each in wanted:
                    if each.year in names:
                        self._attached[each.folder].readers -= 1
                self._let_go({each.folder for each in live})

    def _attach(self, folder: str, file: Path) -> str:
        attached = self._attached.get(folder)
        if attached is None:
            self._number += 1
            attached = self._attached[folder] = _Attached(f"data_set_{self._number}")
            try:
                self._database.execute(f"ATTACH {text(file)} AS {attached.name} (READ_ONLY)")
            except BaseException:
                del self._attached[folder]
                raise
        attached.readers += 1
        return attached.name

    def _let_go(self, live: set[str]) -> None:
        for folder, attached in list(self._attached.items()):
            if folder not in live and not attached.readers:
                self._database.execute(f"DETACH {attached.name}")
                del self._attached[folder]

    @property
    def attached(self) -> tuple[str, ...]:
        """The storage folders of the data sets that are open."""
        return tuple(self._attached)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection to the same database for one query."""
        with self._guard:
            return self._database.cursor()

    def rows(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Run a query and return all its rows.

        Raises: Busy, TooSlow.
        """
        with self.questions.one(), time_limit(self.cursor()) as cursor:
            return cursor.execute(statement, list(values)).fetchall()


class _Attached:
    """A data set that is open, and how many read it."""

    def __init__(self, name: str) -> None:
        self.name, self.readers = name, 0


class Places:
    """So many may do something at once."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._free = threading.BoundedSemaphore(number)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Take a place, and give it back in the end.

        Raises: Busy, when none becomes free.
        """
        if not self._free.acquire(timeout=_WAIT_SECONDS):
            raise Busy
        try:
            yield
        finally:
            self._free.release()


@contextmanager
def time_limit(cursor: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a cursor whose query is stopped when it takes too long; it is closed in the end.

    Raises: TooSlow; Busy when others have taken all memory.
    """
    timer = threading.Timer(settings.BROWSER_SECONDS, cursor.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield cursor
    except duckdb.InterruptException as error:
        raise TooSlow from error
    except duckdb.OutOfMemoryException as error:
        raise Busy from error
    finally:
        timer.cancel()
        cursor.close()


@cache
def engine() -> Engine:
    """Return the engine of this process."""
    return Engine()


# A connection that outlives the interpreter's own things is told of at the end of each process.
atexit.register(engine.cache_clear)
