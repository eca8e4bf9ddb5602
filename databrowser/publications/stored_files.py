"""Stored files of any size for anyone: streamed, with their hash, whole or from a place on."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.files.storage import default_storage
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header, quote_etag

from filing import storage
from filing.files import conditional

_PIECE = 1 << 18  # bytes
# One range of bytes (RFC 9110, 14.1.2); several at once are answered with the whole file.
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


@dataclass(frozen=True)
class StoredFile:
    """A file that never changes under its name. stored: in storage. name: for those who save it."""

    stored: str
    name: str
    content_type: str
    size: int
    sha256: str


def size(stored: str) -> int:
    """Return the bytes of a stored file."""
    return default_storage.size(stored)


def answer(request: HttpRequest, file: StoredFile) -> HttpResponseBase:
    """Return the file, the part that is asked for, or that the caller has it already."""
    etag = quote_etag(file.sha256)
    response = conditional.answered(request, etag, lambda: _whole_or_part(request, file, etag))
    response["Accept-Ranges"] = "bytes"
    return response


def _whole_or_part(request: HttpRequest, file: StoredFile, etag: str) -> HttpResponseBase:
    # A part is of no use to who has the beginning of another file.
    is_same = request.headers.get("If-Range", etag) == etag
    asked = _RANGE.fullmatch(request.headers.get("Range", "")) if is_same else None
    if asked is None or not any(asked.groups()):
        return _streamed(file, 0, file.size, status=200)
    first, last = asked.groups()
    start = int(first) if first else max(0, file.size - int(last))
    stop = min(int(last) + 1, file.size) if first and last else file.size
    if start >= stop:
        nothing = HttpResponse(status=416)
        nothing["Content-Range"] = f"bytes */{file.size}"
        return nothing
    response = _streamed(file, start, stop, status=206)
    response["Content-Range"] = f"bytes {start}-{stop - 1}/{file.size}"
    return response


def _streamed(file: StoredFile, start: int, stop: int, *, status: int) -> HttpResponseBase:
    pieces = _pieces(storage.local(file.stored), start, stop)
    response = StreamingHttpResponse(pieces, status=status, content_type=file.content_type)
    response["Content-Length"] = str(stop - start)
    # It is packed as it is; to pack it again on the way would leave it without a length.
    response["Content-Encoding"] = "identity"
    response["Content-Disposition"] = content_disposition_header(True, file.name) or ""
    digest = base64.b64encode(bytes.fromhex(file.sha256)).decode()
    response["Repr-Digest"] = f"sha-256=:{digest}:"  # of the whole (RFC 9530)
    return response


def _pieces(path: Path, start: int, stop: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(start)
        left = stop - start
        while left > 0 and (piece := file.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece
