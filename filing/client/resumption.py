"""Filings that go on where they were cut: what was begun is kept, and uploads go in pieces.

Each piece has its checksum and begins at the byte that the server already has.

Source: tus resumable upload protocol 1.0, https://tus.io/protocols/resumable-upload
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from filing.client.api import FilingClient
from filing.client.calls import Refused, call_with_retries, new_key
from filing.lar.years import Period

PIECE = 8 * 1024 * 1024  # bytes; smaller files are sent whole
# Of a server without resumable uploads.
_ABSENT = frozenset({404, 405})
_GONE = frozenset({404, 410})
# The server has another offset, or received other bytes than were sent: its offset counts.
_ASK_AGAIN = frozenset({409, 460})

_NAME = "hmda"


def upload_in_pieces(
    client: FilingClient,
    submission: tuple[str, Period, int],
    path: Path,
    *,
    entry: JournalEntry,
    piece: int = PIECE,
    patience: float,
    on_progress: Callable[[int], object],
) -> bool:
    """Upload a file in pieces of so many bytes; go on with what an earlier run sent.

    Returns: False for a server without resumable uploads: then nothing was sent.
    Raises: Unreachable, Refused.
    """
    size, key = path.stat().st_size, f"{entry.key}-upload"
    while True:
        if not entry.upload:
            try:
                begin = partial(
                    client.begin_upload, *submission, name=path.name, size=size, key=key
                )
                entry.upload = call_with_retries(begin, patience=patience)
            except Refused as error:
                if error.status in _ABSENT:
                    return False
                raise
            entry.save()
        try:
            _send(client, entry.upload, path, piece, patience, on_progress)
        except Refused as error:
            if error.status not in _GONE:
                raise
            entry.upload, key = "", new_key()  # unused for a day: the server has removed it
        else:
            return True


def _send(
    client: FilingClient,
    address: str,
    path: Path,
    most: int,
    patience: float,
    on_progress: Callable[[int], object],
) -> None:
    size = path.stat().st_size

    def send_rest() -> None:
        """Send all pieces from the server's offset on; after a failure it is asked again."""
        offset = client.upload_offset(address)
        while True:
            on_progress(offset)
            if offset >= size:
                return
            file.seek(offset)
            piece = file.read(most)
            checksum = hashlib.sha256(piece).digest()
            try:
                offset = client.append(address, offset, piece, sha256=checksum)
            except Refused as error:
                if error.status not in _ASK_AGAIN or error.answer.wait:
                    raise
                offset = client.upload_offset(address)

    with path.open("rb") as file:
        call_with_retries(send_rest, patience=patience)


@dataclass(slots=True)
class JournalEntry:
    """The filing of one file. key: of its submission at the server, so that it is created once.

    submission: its number, 0 before it is known. upload: the address of its resumable upload.
    """

    path: Path | None = None
    key: str = field(default_factory=new_key)
    submission: int = 0
    upload: str = ""

    def save(self) -> None:
        """Write it for the next run, whole or not at all; an entry without a path is not kept."""
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self.path.with_suffix(f".{os.getpid()}")
        content = {name: value for name, value in asdict(self).items() if name != "path"}
        beside.write_text(json.dumps(content))
        beside.replace(self.path)

    def forget(self) -> None:
        """Remove it: the next run begins a new submission."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
        self.key, self.submission, self.upload = new_key(), 0, ""


def find_journal_entry(
    folder: Path, *, url: str, lei: str, period: Period, sha256: str
) -> JournalEntry:
    """Return the entry of a file with a server: that of an earlier run, or a new one."""
    name = hashlib.sha256("\n".join([url, lei, str(period), sha256]).encode()).hexdigest()
    path = folder / f"{name}.json"
    with suppress(OSError, ValueError, TypeError):
        return JournalEntry(path, **json.loads(path.read_text()))
    return JournalEntry(path)


def settings_folder() -> Path:
    """Return the folder of settings and tokens."""
    return _home("XDG_CONFIG_HOME", ".config")


def state_folder() -> Path:
    """Return the folder of filings that were begun."""
    return _home("XDG_STATE_HOME", ".local/state") / "filings"


def _home(variable: str, otherwise: str) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home())) / _NAME
    return Path(os.environ.get(variable) or Path.home() / otherwise) / _NAME
