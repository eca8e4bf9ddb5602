"""The release before this code: its tag, and its code out of git."""

from __future__ import annotations

import io
import subprocess
import tarfile
from functools import cache
from pathlib import Path
from shutil import which

from config.running.supervisor import ROOT


@cache
def tag() -> str:
    """Return the last tag this code comes from; blank before release 1.0.0 or without the tags."""
    if which("git") is None:
        return ""
    return _git("describe", "--tags", "--abbrev=0", "--match=[1-9]*.*.*").stdout.decode().strip()


def code_of(folder: Path) -> Path:
    """Write the code of the former release into a folder and return it."""
    archive = _git("archive", "--format=tar", tag())
    archive.check_returncode()
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(folder, filter="data")
    return folder


def _git(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
