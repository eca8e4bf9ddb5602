"""Counts of several processes: added up, kept when one is killed, continued by the next."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from config.metrics import counters, middleware

# Of the two processes that fork, one is the test runner, which may have threads of its own.
pytestmark = pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SERIES = ("hmda_requests_total", "health", "read", "2xx")


@pytest.fixture(autouse=True)
def server() -> Iterator[None]:
    yield
    counters.remove_folder()


def new_worker(running: list[SimpleNamespace]) -> SimpleNamespace:
    worker = SimpleNamespace()
    counters.assign_slot(worker, running)
    return worker


def work_in(worker: SimpleNamespace, work: Callable[[], None]) -> None:
    """Do the work in the process of a worker, and kill that."""
    child = os.fork()
    if not child:
        try:
            counters.use_slot(worker)
            work()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def count() -> None:
    middleware.count_request("GET", "/healthz", 200, 0.2)


def totals(worker: SimpleNamespace, file: Path) -> dict[tuple[str, ...], float]:
    """Return the values that a worker reads for its server, by name and labels."""

    def read() -> None:
        samples = [sample for family in counters.process_metrics() for sample in family.samples]
        rows = [([each.name, *each.labels.values()], each.value) for each in samples]
        file.write_text(json.dumps(rows))

    work_in(worker, read)
    return {tuple(labels): value for labels, value in json.loads(file.read_text())}


def test_what_killed_processes_counted_stays_and_is_continued(tmp_path: Path) -> None:
    first = new_worker([])
    work_in(first, count)
    second = new_worker([first])
    work_in(second, count)
    after = totals(third := new_worker([second]), tmp_path / "first.json")
    assert third.slot == first.slot != second.slot
    before = after[SERIES]
    for _ in range(5):
        work_in(new_worker([second]), count)
    after = totals(new_worker([]), tmp_path / "second.json")
    assert after[SERIES] == before + 5
    seconds = ("hmda_request_seconds_count", "health", "read")
    assert after[seconds] == after[SERIES]


def _write_folder(file: Path) -> None:
    file.write_text(os.environ[FOLDER])


def test_the_next_server_deletes_the_files_of_one_that_was_killed(tmp_path: Path) -> None:
    def folder(name: str) -> Path:
        work_in(new_worker([]), partial(_write_folder, tmp_path / name))
        return Path((tmp_path / name).read_text())

    server = os.fork()
    if not server:
        folder("former")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(server, 0)
    former = Path((tmp_path / "former").read_text())
    assert former.is_dir()
    assert folder("next").is_dir()
    assert not former.exists()
