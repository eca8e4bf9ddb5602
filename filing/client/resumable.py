"""Resumable uploads: in pieces, each with its checksum, from the byte the server already has.

Source: tus resumable upload protocol 1.0, https://tus.io/protocols/resumable-upload
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from filing.client.api import FilingClient
from filing.client.calls import Answer, Refused, new_key
from filing.client.journal import Entry
from filing.client.patience import patiently
from filing.lar.period import Period

PIECE = 8 * 1024 * 1024  # bytes; smaller files are sent whole
# Of a server without resumable uploads.
_ABSENT = frozenset({404, 405})
_GONE = frozenset({404, 410})
# The server has another offset, or received other bytes than were sent: its offset counts.
_ASK_AGAIN = frozenset({409, 460})


def upload(
    client: FilingClient,
    submission: tuple[str, Period, int],
    path: Path,
    *,
    entry: Entry,
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
                entry.upload = _begin(client, submission, path, size, key, patience)
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


def _begin(
    client: FilingClient,
    submission: tuple[str, Period, int],
    path: Path,
    size: int,
    key: str,
    patience: float,
) -> str:
    addresses = [""]

    def begin() -> Answer:
        addresses[0] = client.begin_upload(*submission, name=path.name, size=size, key=key)
        return Answer(201, {})

    patiently(begin, patience=patience)
    return addresses[0]


def _send(
    client: FilingClient,
    address: str,
    path: Path,
    most: int,
    patience: float,
    on_progress: Callable[[int], object],
) -> None:
    offsets, size = [0], path.stat().st_size

    def ask() -> Answer:
        offsets[0] = client.upload_offset(address)
        return Answer(200, {})

    def send_rest() -> Answer:
        """Send all pieces from the server's offset on; after a failure it is asked again."""
        ask()
        while True:
            on_progress(offsets[0])
            if offsets[0] >= size:
                return Answer(204, {})
            file.seek(offsets[0])
            piece = file.read(most)
            checksum = hashlib.sha256(piece).digest()
            try:
                offsets[0] = client.append(address, offsets[0], piece, sha256=checksum)
            except Refused as error:
                if error.status not in _ASK_AGAIN or error.answer.wait:
                    raise
                ask()

    with path.open("rb") as file:
        patiently(send_rest, patience=patience)
