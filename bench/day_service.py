"""The service of a busy day: institutions with a token and a file each, and what it ends with."""

from __future__ import annotations

import hashlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import evidence, servers
from bench.chaos import YEAR, Setting, lei_of, prepared
from bench.service import Service
from bench.stages import ROOT, peak_memory
from bench.standstill import HISTORY, Outcome, outcome
from filing.demo import census as demo_census
from filing.demo import panel
from filing.demo.files import Recipe, make
from filing.lar.period import Period
from filing.reference import census as census_file
from filing.statuses import Status

PERIOD = Period(YEAR)
VERIFIED_EDITS = {"Q611": 1, "Q637": 1}  # a quality and a macro edit, which a filer verifies
_LIMITS = dict.fromkeys(("LIMIT_PUBLIC", "LIMIT_AUTHENTICATED"), "")  # the default ones
_DRAIN_SECONDS = 5  # between two looks at receipts and public records, once all are signed
_SAMPLE_SECONDS = 0.25
# Prints a token of a user for each institution, as each makes one on the page of their account.
_TOKENS = """
import json
from django.contrib.auth.models import User
from filing.access import SERVICE
from filing.people import personal_tokens
tokens = {{}}
for number, lei in enumerate({leis}):
    name = f"filer{{number}}"
    user = User.objects.create(username=name, email=f"{{name}}@b{{number}}.example")
    user.memberships.create(lei=lei)
    tokens[lei] = personal_tokens.make(user, name="day", leis=[lei], days=1, by=SERVICE)[0]
print(json.dumps(tokens))
"""


@dataclass(slots=True)
class Day:
    """A running service, and the files of its institutions.

    tokens: by LEI. sent: the SHA-256 of the file of each institution.
    """

    service: Service
    folder: Path
    leis: list[str]
    tokens: dict[str, str]
    mail: Path
    sent: dict[str, str] = field(default_factory=dict)
    _tracts: Any = None

    @property
    def url(self) -> str:
        """The address of the service."""
        return self.service.stack.url

    def name(self, lei: str, number: int) -> str:
        """Return the name of a submission, as the history has it."""
        return f"{lei}-{PERIOD}-{number}"

    def file(self, lei: str, *, rows: int, fails: Mapping[str, int] | None = None) -> Path:
        """Make the file of an institution, and return its path."""
        if self._tracts is None:
            self._tracts = census_file.facts(demo_census.rows(YEAR)).tracts
        like = panel.institutions()[0]
        recipe = Recipe(
            period=PERIOD,
            lei=lei,
            rows=rows,
            fails=fails or {},
            tax_id=like["tax_id"],
            agency=like["agency"],
        )
        path, digest = self.folder / f"{lei}.txt", hashlib.sha256()
        with path.open("wb") as file:
            for piece in make(recipe, self._tracts):
                digest.update(piece)
                file.write(piece)
        self.sent[lei] = digest.hexdigest()
        return path

    def history(self) -> dict[str, Any]:
        """Return the history of all submissions."""
        history: dict[str, Any] = json.loads(self.service.manage("shell", "-v", "0", "-c", HISTORY))
        return history

    def differences(self, rows: int, *, seconds: float) -> list[str]:
        """Return what the service has otherwise than sent, once receipts and records are made.

        seconds: for them, at most.
        """
        until = time.monotonic() + seconds
        while True:
            signed = json.loads(self.service.manage("shell", "-v", "0", "-c", evidence.SIGNED))
            differences = evidence.faults_in(signed, self.sent, rows)
            is_done = not differences and not signed["unfinished"]
            if is_done or time.monotonic() > until:
                twice = [f"email twice: {each}" for each in evidence.emails_twice(self.mail)]
                return differences + twice
            progress(f"{len(differences):,} receipts or public records are not there yet")
            time.sleep(_DRAIN_SECONDS)


def result(history: dict[str, Any], promised: dict[str, str]) -> Outcome:
    """Return what became of the submissions. A long wait in a queue is no fault here."""
    return outcome(history, promised=promised, limit=math.inf, missing=[])


def checked(history: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Return when the upload of each file began and when its checks had ended, since 1970."""
    begins: dict[int, float] = {}
    ends: dict[int, float] = {}
    for submission, _, after, _, at in history["changes"]:
        if after == Status.UPLOADING:
            begins[submission] = at
        elif submission in begins and Status(after).is_settled:
            ends.setdefault(submission, at)
    return {history["names"][str(key)]: (begins[key], end) for key, end in ends.items()}


@contextmanager
def running(
    *, institutions: int, with_servers: bool = False, workers: int = 2, parent: Path | None = None
) -> Iterator[Day]:
    """Run a service of a number of institutions in a temporary folder, at default settings.

    with_servers: PostgreSQL, Redis and S3 instead of SQLite and folders. workers: that take small
    files, each one at a time; the last of them takes large files as well.
    """
    setting = Setting(minutes=0, institutions=institutions, faults=0, lease=30, rows=0, seed=1)
    leis = [lei_of(number) for number in range(institutions)]
    with ExitStack() as stack:
        place = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="hmda-bench-", dir=parent))
        )
        data, mail = place / "data", place / "mail"
        data.mkdir()
        settings = {"EMAIL_URL": f"filemail://{mail}"} | _LIMITS
        if with_servers:
            settings |= stack.enter_context(servers.running(place)).settings
        progress(f"preparing a service of {institutions} institutions")
        service = prepared(setting, data, settings)
        tokens = json.loads(service.manage("shell", "-v", "0", "-c", _TOKENS.format(leis=leis)))
        service.stack.start()
        stack.callback(service.stack.stop)
        stack.enter_context(_workers(service, workers))
        yield Day(service, place, leis, tokens, mail)


@contextmanager
def _workers(service: Service, number: int) -> Iterator[None]:
    """Freeze the worker of small files, or start more that take files of any size."""
    frozen = service.workers(b"small") if number == 1 else []
    for process in frozen:
        os.kill(process, signal.SIGSTOP)
    words = ("--quiet", "--skip-checks", "-A", "config", "worker", "--queues", "large,small")
    more = [
        subprocess.Popen(
            [
                *(f"{service.stack.environment['BIN']}/celery", *words, "--concurrency", "1"),
                *("--hostname", f"more{extra}@%h", "--without-gossip", "--without-mingle"),
            ],
            cwd=ROOT,
            env=service.stack.environment | {"POLARS_MAX_THREADS": "2"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for extra in range(number - 2)
    ]
    try:
        yield
    finally:
        for process in frozen:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
        for worker in more:
            worker.terminate()
        for worker in more:
            worker.wait()


@contextmanager
def worker_memory(service: Service) -> Iterator[list[float]]:
    """Watch the workers; the list has the most that any of them held so far, in MB."""
    most, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(_SAMPLE_SECONDS):
            for process in service.processes(b"worker"):
                with suppress(FileNotFoundError, ProcessLookupError, StopIteration):
                    most[0] = max(most[0], peak_memory(process))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def progress(sentence: str) -> None:
    """Print how far a run is, beside its report."""
    print(time.strftime("%H:%M:%S"), sentence, file=sys.stderr, flush=True)
