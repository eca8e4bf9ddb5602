"""Stored files of any size as responses: streamed with their hash, whole or in part."""

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
# One range of bytes (RFC 9110, 14.1.2); a request for several gets the whole file.
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


@dataclass(frozen=True)
class StoredFile:
    """A file that never changes. stored: its name in storage. name: the name for saving it."""

    stored: str
    name: str
    content_type: str
    size: int
    sha256: str


def size(stored: str) -> int:
    """Return the size of a stored file in bytes."""
    return default_storage.size(stored)


def answer(request: HttpRequest, file: StoredFile) -> HttpResponseBase:
    """Return the file, the requested part, or 304 if the caller already has it."""
    etag = quote_etag(file.sha256)
    response = conditional.answered(request, etag, lambda: _whole_or_part(request, file, etag))
    response["Accept-Ranges"] = "bytes"
    return response


def _whole_or_part(request: HttpRequest, file: StoredFile, etag: str) -> HttpResponseBase:
    # A part is useless to a caller who has the beginning of another file.
    is_same = request.headers.get("If-Range", etag) == etag
    requested_range = _RANGE.fullmatch(request.headers.get("Range", "")) if is_same else None
    if requested_range is None or not any(requested_range.groups()):
        return _streamed(file, 0, file.size, status=200)
    first, last = requested_range.groups()
    start = int(first) if first else max(0, file.size - int(last))
    stop = min(int(last) + 1, file.size) if first and last else file.size
    if start >= stop:
        refusal = HttpResponse(status=416)
        refusal["Content-Range"] = f"bytes */{file.size}"
        return refusal
    response = _streamed(file, start, stop, status=206)
    response["Content-Range"] = f"bytes {start}-{stop - 1}/{file.size}"
    return response


def _streamed(file: StoredFile, start: int, stop: int, *, status: int) -> HttpResponseBase:
    pieces = _pieces(storage.local(file.stored), start, stop)
    response = StreamingHttpResponse(pieces, status=status, content_type=file.content_type)
    response["Content-Length"] = str(stop - start)
    # The file is compressed already; compressing it again would lose its length.
    response["Content-Encoding"] = "identity"
    response["Content-Disposition"] = content_disposition_header(True, file.name) or ""
    digest = base64.b64encode(bytes.fromhex(file.sha256)).decode()
    response["Repr-Digest"] = f"sha-256=:{digest}:"  # of the whole (RFC 9530)
    return response


def _pieces(path: Path, start: int, stop: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(start)
        remaining = stop - start
        while remaining > 0 and (piece := file.read(min(_PIECE, remaining))):
            remaining -= len(piece)
            yield piece
