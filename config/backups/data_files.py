"""The files of DATA_DIR that belong to a backup: keys that the service generated for itself.

With other keys, tokens and links in emails that were sent are no longer accepted. Everything else
in DATA_DIR is stored files, the database, or can be made again. The private keys of receipts are
left out on purpose: whoever has a backup must not be able to sign receipts. Their public keys are
in the database; after a restore to another place, a new key is made with the first receipt.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from django.conf import settings

_SECRET_KEY = "secret-key"  # noqa: S105 -- the name of a file
_KEYS = "identity"


def present() -> list[tuple[str, Path]]:
    """Return the names and paths of these files."""
    data = Path(settings.DATA_DIR)
    paths = [data / _SECRET_KEY, *sorted(Path(settings.IDENTITY_KEY_DIR).glob("*.pem"))]
    return [(_name_of(path), path) for path in paths if path.is_file()]


def put(name: str, content: bytes, *, backup: str) -> str:
    """Write one of these files; return where a different one that was there is kept, or a blank.

    Raises: ValueError for any other name.
    """
    path = _path_of(name)
    before = path.read_bytes() if path.exists() else None
    if before == content:
        return ""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = path.with_name(f"{path.name}.before-{backup}")
    if before is not None:
        path.replace(kept)
    partial = path.with_name(f".{path.name}.partial")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    partial.replace(path)
    return "" if before is None else str(kept)


def put_aside(names: set[str], *, backup: str) -> list[str]:
    """Set aside the files that are not among some names; return where they are kept.

    A key that only this place has would otherwise sign, and be trusted.
    """
    kept = []
    for name, path in present():
        if name not in names and name != _SECRET_KEY:
            aside = path.with_name(f"{path.name}.before-{backup}")
            path.replace(aside)
            kept.append(str(aside))
    return kept


def _name_of(path: Path) -> str:
    return path.name if path.name == _SECRET_KEY else f"{_KEYS}/{path.name}"


def _path_of(name: str) -> Path:
    parts = PurePosixPath(name).parts
    if parts == (_SECRET_KEY,):
        return Path(settings.DATA_DIR, _SECRET_KEY)
    if len(parts) == 2 and parts[0] == _KEYS and parts[1].endswith(".pem"):
        return Path(settings.IDENTITY_KEY_DIR, parts[1])
    raise ValueError(f"{name!r} is not a file of a backup.")
