"""A file filed over HTTP: the time of the upload, and until processing has finished."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.files import FILER
from bench.rate_spread import LOAD_DEMO
from bench.stages import ROOT, memory, peak_memory
from config.running.supervisor import Supervisor, free_port
from filing.client import FilingClient
from filing.lar.period import Period
from filing.statuses import Status

_ALWAYS = ("--opens", "2017-01-01", "--timely-until", "2098-01-01", "--closes", "2099-12-31")
# Blank is the default: nothing outside the directory is touched, whatever the environment names.
_ON_ITS_OWN = dict.fromkeys(
    (
        *("DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL", "STORAGE_URL", "EMAIL_URL"),
        *("PUBLIC_URL", "OIDC_ISSUER", "OIDC_JWKS_URL"),
    ),
    "",
) | {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    # The benchmark sends requests as fast as it can.
    **dict.fromkeys(("LIMIT_PUBLIC", "LIMIT_AUTHENTICATED"), "off"),
    **dict.fromkeys(("LIMIT_SIGN_IN", "LIMIT_PUBLIC_UPLOAD"), "off"),
}
# Prints a token for programs, as a user makes one on the page of their account.
_MAKE_TOKEN = f"""
from django.contrib.auth.models import User
from filing.access import SERVICE
from filing.people import personal_tokens
user = User.objects.create(username="bench", email="bench@bench.example")
user.memberships.create(lei="{FILER["lei"]}")
print(personal_tokens.make(user, name="bench", leis=["{FILER["lei"]}"], days=1, by=SERVICE)[0])
"""
_ASK_SECONDS = 0.05
_COPIED_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Filed:
    """The times of a filing, medians in seconds.

    upload: from the first byte sent to the answer. copy: the same bytes from file to file on the
    disk of the service, synced as the service does it. rest: from the last byte sent to the status
    that waits for the filer; code: that status. memory: MB, the most that any worker was
    seen to hold, 0 if unknown.
    """

    rows: int
    size: int
    upload: float
    copy: float
    rest: float
    code: int
    memory: float


@contextmanager
def running(data_dir: Path, year: int) -> Iterator[Service]:
    """Run the embedded service in an empty directory, ready for a filing of the year."""
    service = Service(data_dir, Period(year))
    service.prepare()
    service.stack.start()
    try:
        yield service
    finally:
        service.stack.stop()


class Service:
    """The benchmark's own service, with one institution."""

    def __init__(self, data_dir: Path, period: Period) -> None:
        self.stack = Supervisor(data_dir=data_dir, port=free_port())
        self.stack.environment |= _ON_ITS_OWN
        self.data_dir, self._period = data_dir, period
        self._memory = 0.0

    def prepare(self) -> None:
        year, panel = str(self._period.year), self.data_dir / "panel.csv"
        names = ("lei", "name", "tax_id", "agency")
        values = ",".join(str(FILER[name]) for name in names)  # type: ignore[literal-required]
        panel.write_text(
            f"activity_year,{','.join(names)},email_domains,quarterly_filer\n"
            f"{year},{values},bench.example,false\n"
        )
        self.manage("prepare")
        self.manage("load_institutions", "--strict", str(panel))
        self.manage("load_census", year, "--demo")
        self.manage("shell", "-v", "0", "-c", LOAD_DEMO)
        self.manage("open_season", year, *_ALWAYS)

    def file(self, path: Path, *, rows: int, repeat: int) -> Filed:
        """File a file a number of times; return the medians."""
        token = self.manage("token", "--lei", FILER["lei"], "--minutes", "600").strip()
        with FilingClient(self.stack.url, token) as client:
            times = [self._file_once(client, path) for _ in range(repeat)]
        uploads, rests, codes = zip(*times, strict=True)
        return Filed(
            rows=rows,
            size=path.stat().st_size,
            upload=median(uploads),
            copy=median(_copy(path, self.data_dir / "copy") for _ in range(repeat)),
            rest=median(rests),
            code=codes[-1],
            memory=self._memory,
        )

    def _file_once(self, client: FilingClient, path: Path) -> tuple[float, float, int]:
        where = (FILER["lei"], self._period)
        created = client.create_submission(*where)
        here = (*where, int(created.body["id"]["sequenceNumber"]))
        size, last_byte = path.stat().st_size, 0.0

        def sent(done: int) -> None:
            nonlocal last_byte
            last_byte = last_byte or (time.perf_counter() if done >= size else 0.0)

        began = time.perf_counter()
        code = client.upload(*here, path, on_progress=sent).body["status"]["code"]
        answered = time.perf_counter()
        while not Status(code).is_settled:
            time.sleep(_ASK_SECONDS)
            self._look_at_memory()
            code = client.submission(*here).body["status"]["code"]
        return answered - began, time.perf_counter() - last_byte, code

    def new_submissions(self, count: int, token: str) -> list[str]:
        """Create submissions of the institution; return their addresses."""
        where = (str(FILER["lei"]), self._period)
        with FilingClient(self.stack.url, token) as client:
            numbers = [
                client.create_submission(*where).body["id"]["sequenceNumber"] for _ in range(count)
            ]
        base = f"/v2/filing/institutions/{FILER['lei']}/filings/{self._period}/submissions"
        return [f"{base}/{number}" for number in numbers]

    def program_token(self) -> str:
        """Return a new token for a program of the institution."""
        return self.manage("shell", "-v", "0", "-c", _MAKE_TOKEN).strip()

    def web_memory(self) -> float:
        """Return the most that any process of the web server has held so far, in MB."""
        assert self.stack.process is not None
        return max(map(peak_memory, self.processes(b"gunicorn")))

    def web_memory_now(self) -> list[float]:
        """Return what processes of the web server hold in MB, the one that starts them first."""
        return list(map(memory, self.processes(b"gunicorn")))

    def processes(self, program: bytes) -> list[int]:
        """Return the processes that run a program or have its name as a word."""
        assert self.stack.process is not None
        return [
            process for process in with_children(self.stack.process.pid) if _runs(process, program)
        ]

    def workers(self, queues: bytes = b"") -> list[int]:
        """Return the processes of the workers, and before them what ends those that are stopped.

        queues: those of one worker, as in its command line; by default of all.
        """
        workers = [each for each in self.processes(b"worker") if queues in (b"", *_words(each))]
        watches = self.processes(b"main_watch.py")
        of_main = {str(each).encode() for each in workers}
        return [each for each in watches if of_main.intersection(_words(each))] + workers

    def manage(self, *words: str) -> str:
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *words],
            env=self.stack.environment,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        ).stdout

    def _look_at_memory(self) -> None:
        """Keep the most that a worker holds: a child that has grown large is replaced at once."""
        assert self.stack.process is not None
        for process in with_children(self.stack.process.pid):
            with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
                if _runs(process, b"worker"):
                    self._memory = max(self._memory, peak_memory(process))


def with_children(process: int) -> Iterator[int]:
    yield process
    with suppress(FileNotFoundError, ProcessLookupError):
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            for child in children.read_text().split():
                yield from with_children(int(child))


def _runs(process: int, program: bytes) -> bool:
    return any(word.rpartition(b"/")[2] == program for word in _words(process))


def _words(process: int) -> list[bytes]:
    """Return the command line of a process; none if it has just ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return []


def _copy(path: Path, target: Path) -> float:
    """Return the seconds of copying a file and syncing it to disk."""
    began = time.perf_counter()
    with path.open("rb") as source, target.open("wb") as copy:
        while chunk := source.read(_COPIED_BYTES):
            copy.write(chunk)
        copy.flush()
        os.fsync(copy.fileno())
    seconds = time.perf_counter() - began
    target.unlink()
    return seconds
