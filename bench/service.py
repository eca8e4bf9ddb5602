"""A service of a bench or of a test on its own folder, with institutions that can file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bench.files import FILER
from bench.stages import ROOT, peak_memory
from config.running.supervisor import Supervisor, free_port
from filing.demo import panel
from filing.lar.years import Period

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


def lei_of(number: int) -> str:
    """Return the LEI of a made-up institution."""
    return panel.make_lei(f"549300BENCH{number:07d}")


class Service:
    """A service on a folder of its own; no server that the environment names is used."""

    def __init__(self, data_dir: Path, period: Period) -> None:
        self.stack = Supervisor(data_dir=data_dir, port=free_port())
        self.stack.environment |= _ON_ITS_OWN
        self.data_dir, self._year = data_dir, str(period.year)

    def prepare(self, leis: Sequence[str]) -> None:
        """Make the tables, with institutions that may file for the year, always in time."""
        rows = [
            f"{self._year},{lei},Bank {number},{FILER['tax_id']},{FILER['agency']},"
            f"b{number}.example,false"
            for number, lei in enumerate(leis)
        ]
        names = "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"
        path = self.data_dir / "panel.csv"
        path.write_text("\n".join([names, *rows, ""]))
        self.manage("prepare")
        self.manage("load_institutions", "--strict", str(path))
        self.manage("load_census", self._year, "--demo")
        self.manage("open_season", self._year, *_ALWAYS)

    def web_memory(self) -> float:
        """Return the most that any process of the web server has held so far, in MB."""
        assert self.stack.process is not None
        return max(map(peak_memory, self.processes(b"gunicorn")))

    def processes(self, program: bytes) -> list[int]:
        """Return the processes that run a program or have its name as a word."""
        assert self.stack.process is not None
        return [
            process for process in with_children(self.stack.process.pid) if _runs(process, program)
        ]

    def manage(self, *words: str) -> str:
        """Run a command of the service; return what it prints."""
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *words],
            env=self.stack.environment,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        ).stdout


def with_children(process: int) -> Iterator[int]:
    """Yield a process and all that it has started."""
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
