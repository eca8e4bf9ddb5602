"""A trial: the tests that a change is up against, in a process of its own that is forked warm.

The libraries are imported once, in the process that forks; the code of the project is imported by
each trial, the changed module from a source in memory. Nothing is ever written into the tree.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_PURE = ("polars", "numpy", "hypothesis", "hypothesis.strategies", "pyarrow", "yaml", "pytest")
_NONE = types.SimpleNamespace(params={})
_CODE = re.compile(r"[SVQ]\d{3}")
_FIXTURES = "tests.filing.lar.conftest"  # the fixtures of the format tests, without Django


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of processor time after which a test counts as one that noticed, and of the clock.

    On a busy machine the clock runs on while a trial waits: it ends only those that wait for ever.
    """

    processor: int = 120
    clock: int = 3600


@dataclass(frozen=True, slots=True)
class Task:
    """What a trial does: the tests to run, part after part, until one fails.

    path, source: the module that is replaced; blank for the code as it is. codes: of edits; tests
    that name only others are left out. is_django: whether the tests need Django.
    """

    path: str
    source: str
    parts: tuple[tuple[str, ...], ...]
    codes: frozenset[str] = frozenset()
    is_django: bool = False
    keep_going: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a trial ended. test: the one that noticed, or a blank; part: the tests it was among."""

    is_noticed: bool
    test: str
    part: int
    seconds: float


def warm(root: Path) -> None:
    """Import what trials need and no trial changes."""
    os.environ |= {"POLARS_MAX_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    os.environ.pop("PYTEST_ADDOPTS", None)  # it may name options of plugins
    sys.path.insert(0, str(root))
    for name in _PURE:
        importlib.import_module(name)


def warm_django(root: Path, scratch: Path) -> None:
    """Import the libraries that Django brings, and keep a database for the trials to copy."""
    names = json.loads(_forked(lambda: json.dumps(_set_up(root, scratch))))
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:  # one that needs Django set up
            continue


def _set_up(root: Path, scratch: Path) -> list[str]:
    """Create the database; return the libraries that the whole service imports."""
    os.environ |= {"DATA_DIR": str(scratch), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    import django

    django.setup()
    importlib.import_module("config.urls")
    from django.db import connection

    connection.creation.create_test_db(verbosity=0)
    own = {path.name for path in root.iterdir() if path.is_dir()}
    skipped = ("models", "admin", "apps", "__main__")
    return [
        name
        for name in list(sys.modules)
        if name.partition(".")[0] not in own and not set(name.split(".")) & set(skipped)
    ]


def _forked(function: Any) -> str:
    """Return the text that a function returns in a process of its own."""
    reading, writing = os.pipe()
    if not (pid := os.fork()):
        try:
            with os.fdopen(writing, "w") as pipe:
                pipe.write(function())
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    if os.waitpid(pid, 0)[1]:
        raise RuntimeError("The trials could not be prepared.")
    return text


class Trial:
    """A trial that has begun, and its outcome once it ends."""

    def __init__(self, root: Path, task: Task, limits: Limits, scratch: Path) -> None:
        self.task, self._limits, self._begun = task, limits, time.monotonic()
        self._folder = Path(tempfile.mkdtemp(prefix="trial-", dir=scratch))
        self._pid = os.fork()
        if not self._pid:
            _run(root, task, limits, scratch, self._folder)

    def outcome(self) -> Outcome | None:
        """Return how the trial ended; nothing while it goes on."""
        seconds = time.monotonic() - self._begun
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if not pid and seconds < self._limits.clock:
            return None
        if not pid:
            os.killpg(self._pid, signal.SIGKILL)
            status = os.waitpid(self._pid, 0)[1]
        answer = self._folder / "answer.json"
        found = json.loads(answer.read_text()) if answer.exists() else {}
        shutil.rmtree(self._folder, ignore_errors=True)
        seconds = round(seconds, 2)
        if os.WIFSIGNALED(status):
            is_late = not pid or os.WTERMSIG(status) == signal.SIGXCPU
            return Outcome(True, "(time limit)" if is_late else "(crash)", 0, seconds)
        if not found:
            return Outcome(True, "(crash)", 0, seconds)
        return Outcome(bool(found["tests"]), " ".join(found["tests"]), found["part"], seconds)


def _run(root: Path, task: Task, limits: Limits, scratch: Path, folder: Path) -> None:
    """Run the tests of a task in this process, and end it."""
    try:
        os.setsid()
        log = os.open(folder / "log", os.O_CREAT | os.O_WRONLY)
        os.dup2(log, 1)
        os.dup2(log, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (limits.processor, limits.processor + 10))
        os.chdir(root)
        if task.path:
            _forget_imports_of(task.path.partition("/")[0])
            sys.meta_path.insert(0, _Changed(root, task.path, task.source))
        _prepare(task, scratch, folder)
        answer: dict[str, Any] = {"tests": [], "part": 0}
        for number, paths in enumerate(task.parts):
            watcher = _Watcher(task.codes)
            if paths and (failed := _failing(task, paths, watcher, folder / f"tmp{number}")):
                answer = {"tests": failed, "part": number}
                break
        (folder / "answer.json").write_text(json.dumps(answer))
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _forget_imports_of(package: str) -> None:
    """Let a package be imported again, whole: this program itself may use a module of it."""
    for name in list(sys.modules):
        if name.partition(".")[0] == package:
            del sys.modules[name]


def _prepare(task: Task, scratch: Path, folder: Path) -> None:
    from hypothesis import settings

    # The same cases every time, and none kept in the tree.
    settings.register_profile("trials", database=None, derandomize=True, deadline=None)
    settings.load_profile("trials")
    if not task.is_django:
        _without_django()
        return
    shutil.copy(scratch / "tests.sqlite3", folder / "tests.sqlite3")
    os.environ |= {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    from django.test import utils

    vars(utils).update(setup_databases=_use_the_copy, teardown_databases=_keep_the_copy)


def _use_the_copy(*_args: object, **_options: object) -> list[object]:
    from django.conf import settings
    from django.db import connection

    name = settings.DATABASES["default"]["TEST"]["NAME"]
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name
    return []


def _keep_the_copy(*_args: object, **_options: object) -> None:
    """Leave the database where it is: it goes with its folder."""


def _without_django() -> None:
    """Let tests ask where the published lists lie without all that the fixtures import."""
    stub = types.ModuleType("tests.conftest")
    stub.PUBLISHED = Path("/nowhere")  # type: ignore[attr-defined]
    sys.modules["tests.conftest"] = stub


def _failing(task: Task, paths: Sequence[str], watcher: _Watcher, folder: Path) -> list[str]:
    """Run tests, until one fails if need be; return the names of those that did."""
    options = [
        "-c",
        os.devnull,
        "--rootdir",
        os.getcwd(),
        "--import-mode=importlib",
        "--assert=plain",
    ]
    options += ["-p", "no:cacheprovider", "-m", "not published", "-W", "error", "--tb=no"]
    options += ["-W", "ignore::pytest.PytestUnknownMarkWarning", f"--basetemp={folder}"]
    options += [] if task.keep_going else ["-x"]
    if task.is_django:
        options += ["-p", "pytest_django.plugin", "-o", "DJANGO_SETTINGS_MODULE=tests.settings"]
    else:
        options += ["--noconftest"]
        options += ["-p", _FIXTURES] if Path(f"{_FIXTURES.replace('.', '/')}.py").exists() else []
    code = pytest.main([*options, *paths], plugins=[watcher])
    if watcher.failed or code in {0, 5}:  # 5: nothing was collected
        return watcher.failed
    return [f"(pytest ended with {int(code)})"]


class _Watcher:
    """Leaves out tests that name only edits of other codes; keeps the names of those that fail."""

    def __init__(self, codes: frozenset[str]) -> None:
        self._codes = codes
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._codes:
            codes = [(_codes(item), item) for item in items]
            kept = [(some, item) for some, item in codes if not some or some & self._codes]
            items[:] = [item for _, item in sorted(kept, key=lambda each: not each[0])]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(f"{report.nodeid} (import)")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def _codes(item: pytest.Item) -> set[str]:
    """Return the codes of the edits that a test is about, by its name and its parameters."""
    found = set(_CODE.findall(item.nodeid.partition("[")[2]))
    for value in getattr(item, "callspec", _NONE).params.values():
        first = value[0] if isinstance(value, tuple) and value else value
        found |= set(_CODE.findall(first)) if isinstance(first, str) else set()
    return found


class _Changed(importlib.abc.MetaPathFinder):
    """Finds one module, with a source that no file has."""

    def __init__(self, root: Path, path: str, source: str) -> None:
        self._name = path.removesuffix(".py").replace("/", ".")
        self._loader = _Loader(str(root / path), source)

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        path = self._loader.get_filename(fullname)
        return importlib.util.spec_from_file_location(fullname, path, loader=self._loader)


class _Loader(importlib.abc.SourceLoader):
    """Loads a module from a source in memory; no compiled file is read or written."""

    def __init__(self, path: str, source: str) -> None:
        self._path, self._source = path, source

    def get_data(self, path: bytes | str | os.PathLike[str] | os.PathLike[bytes]) -> bytes:
        return self._source.encode()

    def get_filename(self, fullname: str) -> str:
        return self._path
