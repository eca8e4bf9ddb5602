"""The release before this code: its version, its migrations, and its code out of git."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from functools import cache
from pathlib import Path
from shutil import which
from typing import Any

from config.running.supervisor import ROOT

RELEASE: dict[str, Any] = json.loads((ROOT / "deploy" / "former-release.json").read_text())
COMMIT: str = RELEASE["commit"]
# The last migration of each app in that release.
MIGRATIONS: dict[str, str] = RELEASE["migrations"]


def code_of(folder: Path) -> Path:
    """Write the code of the former release into a folder and return it."""
    archive = _git("archive", "--format=tar", COMMIT)
    archive.check_returncode()
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(folder, filter="data")
    return folder


@cache
def is_here() -> bool:
    """Return whether this is a clone that has the former release: a shallow one has not."""
    return (
        which("git") is not None and not _git("cat-file", "-e", f"{COMMIT}^{{commit}}").returncode
    )


def _git(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
