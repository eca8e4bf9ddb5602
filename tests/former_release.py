"""The release before this code: its version, its migrations, and its code out of git."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from config.running.supervisor import ROOT

RELEASE: dict[str, Any] = json.loads((ROOT / "deploy" / "former-release.json").read_text())
COMMIT: str = RELEASE["commit"]
# The last migration of each app in that release.
MIGRATIONS: dict[str, str] = RELEASE["migrations"]


def code_of(folder: Path) -> Path:
    """Write the code of the former release into a folder and return it.

    A shallow clone has no such commit: it is then fetched, and the test fails if that fails.
    """
    if _git("cat-file", "-e", f"{COMMIT}^{{commit}}").returncode:
        _git("fetch", "--quiet", "--depth=1", "origin", COMMIT)
    archive = _git("archive", "--format=tar", COMMIT)
    if archive.returncode:
        pytest.fail(
            f"The former release {RELEASE['version']} ({COMMIT[:12]}) is not in this clone and "
            "cannot be fetched. Run `git fetch --unshallow`, and test in a clone with its history: "
            f"{archive.stderr.decode().strip()}"
        )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(folder, filter="data")
    return folder


def _git(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
