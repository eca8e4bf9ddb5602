"""A database that can be taken away while a service runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.flow.conftest import Service
from tests.flow.processes import parent_of, wait_until
from tests.resilience.between import Between

IS_POSTGRESQL = os.environ.get("DATABASE_URL", "").startswith("postgresql")
TRY_AGAIN = "at the moment. Try again in 30 seconds."
NO_DATABASE = f"The service cannot use its database {TRY_AGAIN}"
UNSURE = " What you sent may not have been saved."


class Database:
    """The database of a service, to be taken away and brought back."""

    def __init__(self, service: Service, between: Between) -> None:
        self._service, self._between = service, between
        self._file = service.data_dir / "service.sqlite3"
        self._parts = [Path(f"{self._file}{end}") for end in ("", "-wal", "-shm")]
        self._is_away = False

    def take_away(self) -> None:
        self._is_away = True
        if IS_POSTGRESQL:
            self._between.close()
            return
        for part in self._parts:
            if part.exists():
                part.rename(f"{part}.away")
        self._file.mkdir()
        # What has the file open goes on with it: let other processes begin.
        web = self._service.processes("gunicorn")
        for each in web:
            if parent_of(each) in web:
                os.kill(each, signal.SIGKILL)
        wait_until(self._is_gone, "the web processes notice")

    def _is_gone(self) -> bool:
        try:
            return httpx.get(f"{self._service.url}/readyz", timeout=60).status_code == 503
        except httpx.HTTPError:
            return False

    def bring_back(self) -> None:
        if not self._is_away:
            return
        self._is_away = False
        if IS_POSTGRESQL:
            self._between.open()
            return
        self._file.rmdir()
        for part in self._parts:
            if (kept := Path(f"{part}.away")).exists():
                kept.rename(part)


@pytest.fixture
def database(breakable: Service, database_line: Between) -> Iterator[Database]:
    made = Database(breakable, database_line)
    yield made
    made.bring_back()
    wait_until(lambda: httpx.get(f"{breakable.url}/readyz").status_code == 200, "ready again")
