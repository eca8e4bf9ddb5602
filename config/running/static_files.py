"""Collects and compresses the static files of a service that runs from its source code."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import FileSystemStorage

from config.running.supervisor import ROOT

_STATE = ".collected"  # the file with the fingerprint of what was collected


def collected(folder: Path) -> Path:
    """Return the folder with the compressed static files, collected again if they changed.

    Raises: CalledProcessError if they cannot be written.
    """
    state, fingerprint = folder / _STATE, _fingerprint()
    if state.exists() and state.read_text() == fingerprint:
        return folder
    words = [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--no-input", "--clear"]
    environment = {**os.environ, "STATIC_ROOT": str(folder)}
    subprocess.run([*words, "-v", "0"], check=True, env=environment)  # noqa: S603 -- our own program
    state.write_text(fingerprint)
    return folder


def _fingerprint() -> str:
    """Return a hash of the name, size and time of every static file."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            if isinstance(storage, FileSystemStorage):
                file = Path(storage.path(name)).stat()
                digest.update(f"{name} {file.st_size} {file.st_mtime_ns}\n".encode())
    return digest.hexdigest()
