"""Starts a service and files a made-up LAR with it, from upload to receipt."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import environment
from config.management.commands.prepare import data_year
from config.running.supervisor import ROOT, DidNotStart, Supervisor, free_port
from filing.demo import panel

ROWS = 1_000
FAILING = ("Q607:3", "Q611", "Q614-1:2", "Q637")  # some quality edits and a macro edit


class Command(BaseCommand):
    help = "Start the service on a free port, file a made-up LAR, get its receipt, and stop."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rows", type=int, default=ROWS, help="records in the made-up file")

    def handle(self, *args: Any, **options: Any) -> None:
        year, lei = data_year(), panel.make_institutions()[0]["lei"]
        with tempfile.TemporaryDirectory(prefix="hmda-demo-") as folder:
            data_dir, port = Path(folder, "var"), free_port()
            data_dir.mkdir()
            run = _Runner(data_dir, port)
            with self._step("Created tables, keys, institutions and an open filing season"):
                run("prepare", "--demo")
            service = Supervisor(data_dir=data_dir, port=port)
            service.environment = _leave_settings_out(service.environment)
            with self._step(f"Started web, workers and beat at {service.url}"):
                self._start(service)
            try:
                file = Path(folder, f"demo-{year}.txt")
                with self._step(
                    f"Made a file of {options['rows']:,} records, triggering {_codes()}"
                ):
                    failing = [f"--fail={code}" for code in FAILING]
                    rows = str(options["rows"])
                    run("make_lar", f"--year={year}", f"--rows={rows}", f"--lei={lei}",
                        *failing, str(file))  # fmt: skip
                token = run("token", "--lei", lei).strip()
                self.stdout.write("Filing it over HTTP:\n")
                self.stdout.flush()
                self._file(run, file, lei, year, service.url, token)
            finally:
                with self._step("Stopped"):
                    service.stop()

    def _start(self, service: Supervisor) -> None:
        try:
            service.start()
        except DidNotStart as error:
            raise CommandError(str(error)) from error

    def _file(self, run: _Runner, file: Path, lei: str, year: int, url: str, token: str) -> None:
        code = run.with_output(
            "file_lar", str(file), "--lei", lei, "--year", str(year), "--url", url,
            "--verify", "--sign", extra={"HMDA_TOKEN": token},
        )  # fmt: skip
        if code:
            raise CommandError(f"Filing failed with exit code {code}.", returncode=code)

    @contextmanager
    def _step(self, text: str) -> Iterator[None]:
        started_at = time.monotonic()
        yield
        self.stdout.write(f"{text}  ({time.monotonic() - started_at:.1f} s)")
        self.stdout.flush()


def _codes() -> str:
    return ", ".join(code.split(":")[0] for code in FAILING)


def _leave_settings_out(variables: Mapping[str, str]) -> dict[str, str]:
    """Leave out the settings of the site here: the demo must not use its database or storage."""
    others = environment.NAMES - {"DATA_DIR", "PORT", "LOG_LEVEL"}
    return {name: value for name, value in variables.items() if name not in others}


class _Runner:
    """Runs management commands in separate processes, on the data folder of the demo."""

    def __init__(self, data_dir: Path, port: int) -> None:
        own = {"DATA_DIR": str(data_dir), "PORT": str(port)}
        self.environment = _leave_settings_out(os.environ) | own

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, str(ROOT / "manage.py"), *words]

    def __call__(self, *words: str) -> str:
        result = subprocess.run(  # noqa: S603 -- our own program
            self._command(*words), env=self.environment, capture_output=True, text=True, check=False
        )
        if result.returncode:
            raise CommandError(f"{words[0]} failed:\n{result.stderr}")
        return result.stdout

    def with_output(self, *words: str, extra: dict[str, str]) -> int:
        environment = {**self.environment, **extra}
        return subprocess.run(  # noqa: S603 -- our own program
            self._command(*words), env=environment, check=False
        ).returncode
