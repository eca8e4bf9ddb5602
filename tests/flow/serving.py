"""A service as make run starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from config.running.supervisor import ROOT

APART = {"DATABASE_URL": "", "CELERY_BROKER_URL": "", "CACHE_URL": "", "HOST": "127.0.0.1"}
WITHOUT = ("PORT", "PUBLIC_URL", "DATA_DIR")


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    """Return what a person has set who runs commands on a folder, and no more of these tests."""
    inherited = {name: value for name, value in os.environ.items() if name not in WITHOUT}
    own = {"DATA_DIR": str(data_dir), "DJANGO_SETTINGS_MODULE": "config.settings"}
    return {**inherited, **APART, **own, **more}


@contextmanager
def served(
    data_dir: Path,
    port: int,
    *,
    code: Path = ROOT,
    words: Sequence[str] = ("--no-demo",),
    **more: str,
) -> Iterator[subprocess.Popen[str]]:
    """A service that has begun to answer; every process of it ends with the test."""
    process = subprocess.Popen(
        [sys.executable, str(code / "manage.py"), "serve", *words],
        cwd=code,
        env=environment(data_dir, PORT=str(port), **more),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "Ctrl-C ends it" in line:
                break
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        kill_all(data_dir)


def kill_all(data_dir: Path) -> None:
    """Kill what runs on the folder, the process manager first, which would start others again."""
    with suppress(FileNotFoundError, ProcessLookupError):
        os.kill(int(Path(data_dir, "supervisor.pid").read_text()), signal.SIGKILL)
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"DATA_DIR={data_dir}\0".encode() in (folder / "environ").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)
