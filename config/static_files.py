"""Static files of a service that runs from its code: collected and compressed once."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import FileSystemStorage

from config.stack import ROOT

_STATE = ".collected"  # names what was collected


def collected(folder: Path) -> Path:
    """Return the folder with the static files in it, compressed; they are collected if they differ.

    Raises: CalledProcessError when they cannot be written.
    """
    state, wanted = folder / _STATE, _fingerprint()
    if state.exists() and state.read_text() == wanted:
        return folder
    words = [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--no-input", "--clear"]
    environment = {**os.environ, "STATIC_ROOT": str(folder)}
    subprocess.run([*words, "-v", "0"], check=True, env=environment)  # noqa: S603 -- our own program
    state.write_text(wanted)
    return folder


def _fingerprint() -> str:
    """Return what changes with the name, the size or the time of any static file."""
    known = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            if isinstance(storage, FileSystemStorage):
                file = Path(storage.path(name)).stat()
                known.update(f"{name} {file.st_size} {file.st_mtime_ns}\n".encode())
    return known.hexdigest()
