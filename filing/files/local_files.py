"""Files on this machine: their digests, and numbered ones that only the service's user can read."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path


def add_numbered_file(folder: Path, content: bytes, *, suffix: str, first: bool = False) -> Path:
    """Write the next file of a folder, `0001` and so on, and return its path.

    It appears complete or not at all, and only its owner can read it. first: only `0001` will do;
    of processes that start together, one makes it.

    Raises: FileExistsError if another process has just done the same; OSError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    numbers = [int(path.stem) for path in folder.glob(f"*{suffix}") if path.stem.isdecimal()]
    number = 1 if first else max(numbers, default=0) + 1
    path = folder / f"{number:04}{suffix}"
    temporary = folder / f".{secrets.token_hex(8)}"
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    try:
        os.link(temporary, path)  # only one process gets the name
    finally:
        temporary.unlink()
    return path


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
