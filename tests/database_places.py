"""Where the service asks the database for what SQLite and PostgreSQL answer in ways of their own.

`make test` runs on SQLite. `make test PLACES=1` records the places of the service that lock rows,
run SQL of their own, compare text or JSON, use windows or upserts, write to tables with triggers,
or meet an error of the database. Each place has to be run by some test with the marker `servers`,
which `make test-servers` runs on PostgreSQL and Redis, too; else the run fails and names the place.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator
from typing import Any

import pytest
from django.conf import settings
from django.db.backends.signals import connection_created
from django.db.models.sql import compiler

from filing.models import append_only

MARKER = "servers"
_HERE = f"{settings.BASE_DIR}/"
_APPS = tuple(
    f"{_HERE}{app}/"
    for app in {name.partition(".")[0] for name in settings.INSTALLED_APPS} - {"tests"}
)
_PLAIN = ("SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN", "COMMIT", "PRAGMA")
_WRITES = re.compile(r'(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)"')
# What is compared, computed or stored in another way, by a mark of it in the SQL of SQLite.
_MARKS = {
    "compares text": re.compile(r" LIKE | REGEXP "),
    "reads JSON": re.compile(r"JSON_|json_"),
    "has a window": re.compile(r" OVER \("),
    "upserts": re.compile(r"ON CONFLICT|INSERT OR IGNORE"),
    "cuts times": re.compile(r"django_(?:date|time|datetime)\w*\("),
    "joins results": re.compile(r" UNION | EXCEPT | INTERSECT "),
}


class Places:
    """A plugin of pytest: records in each process, and compares at the end of all."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}  # with the first test that runs it
        self.with_marker: set[str] = set()
        self._item: pytest.Item | None = None
        self._is_compiled = False
        self._guarded = {model._meta.db_table for model in append_only.guarded_models()}
        self._wrap_compilers()
        connection_created.connect(self._watch, weak=False)

    def _watch(self, connection: Any, **options: Any) -> None:
        if self._execute not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._execute)

    def _wrap_compilers(self) -> None:
        for kind in (compiler.SQLCompiler, compiler.SQLInsertCompiler, compiler.SQLUpdateCompiler):
            kind.execute_sql = self._compiled(kind.execute_sql)  # type: ignore[method-assign]

    def _compiled(self, execute_sql: Callable[..., Any]) -> Callable[..., Any]:
        def execute(which: Any, *arguments: Any, **options: Any) -> Any:
            before, self._is_compiled = self._is_compiled, True
            try:
                if which.query.select_for_update:
                    self._record("locks")
                if which.query.distinct_fields:
                    self._record("is distinct on")
                return execute_sql(which, *arguments, **options)
            finally:
                self._is_compiled = before

        return execute

    def _execute(
        self, execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any
    ) -> Any:
        if self._item is None:
            return execute(sql, parameters, many, context)
        text = str(sql)
        if not self._is_compiled and not text.startswith(_PLAIN):
            self._record("has SQL of its own")
        for kind, mark in _MARKS.items():
            if mark.search(text):
                self._record(kind)
        written = _WRITES.match(text)
        if written and written[1] in self._guarded:
            self._record("writes a guarded table")
        try:
            return execute(sql, parameters, many, context)
        except Exception as error:
            self._record(f"meets {type(error).__name__}")
            raise

    def _record(self, kind: str) -> None:
        frame: Any = sys._getframe(2)
        while frame is not None:
            code = frame.f_code
            if code.co_filename.startswith(_APPS) and "/migrations/" not in code.co_filename:
                place = f"{code.co_filename.removeprefix(_HERE)}:{code.co_qualname}"
                assert self._item is not None
                self.places.setdefault(f"{place} {kind}", self._item.nodeid)
                if self._item.get_closest_marker(MARKER):
                    self.with_marker.add(f"{place} {kind}")
                return
            frame = frame.f_back

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._item = item
        try:
            return (yield)
        finally:
            self._item = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take what a process of the tests recorded."""
        places, with_marker = node.workeroutput.get("places", ({}, []))
        self.places |= places
        self.with_marker.update(with_marker)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["places"] = (self.places, sorted(self.with_marker))
        elif self.find_missing() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def find_missing(self) -> dict[str, str]:
        """Return the places that no test with the marker runs, with a test that does."""
        missing = self.places.keys() - self.with_marker
        return {place: self.places[place] for place in sorted(missing)}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if missing := self.find_missing():
            terminalreporter.section(f"Run by no test with the marker {MARKER}: {len(missing)}")
            for place, test in missing.items():
                terminalreporter.write_line(f"{place}: {test}")
