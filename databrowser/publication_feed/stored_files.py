"""Stored files of any size as responses with their hash, whole or in part."""

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
from filing.files import conditional, handing_over

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
    return conditional.answered(request, etag, lambda: _whole_or_part(request, file, etag))


def _whole_or_part(request: HttpRequest, file: StoredFile, etag: str) -> HttpResponseBase:
    # A part is useless to a caller who has the beginning of another file.
    is_same = request.headers.get("If-Range", etag) == etag
    requested_range = _RANGE.fullmatch(request.headers.get("Range", "")) if is_same else None
    if requested_range is None or not any(requested_range.groups()):
        return _handed_over(request, file) or _streamed(file, 0, file.size, status=200)
    first, last = requested_range.groups()
    start = int(first) if first else max(0, file.size - int(last))
    stop = min(int(last) + 1, file.size) if first and last else file.size
    if start >= stop:
        refusal = HttpResponse(status=416)
        refusal["Content-Range"] = f"bytes */{file.size}"
        refusal["Accept-Ranges"] = "bytes"
        return refusal
    if response := _handed_over(request, file):
        return response  # of which the part is taken where the file is sent
    response = _streamed(file, start, stop, status=206)
    response["Content-Range"] = f"bytes {start}-{stop - 1}/{file.size}"
    return response


def _handed_over(request: HttpRequest, file: StoredFile) -> HttpResponseBase | None:
    """Return the answer with which something else sends the file; None if we send it."""
    response = handing_over.answer(
        request, file.stored, name=file.name, content_type=file.content_type
    )
    if response is not None and response.status_code == 200:
        response["Repr-Digest"] = _digest(file)
    return response


def _streamed(file: StoredFile, start: int, stop: int, *, status: int) -> HttpResponseBase:
    pieces = _pieces(storage.local(file.stored), start, stop)
    response = StreamingHttpResponse(pieces, status=status, content_type=file.content_type)
    response["Accept-Ranges"] = "bytes"
    response["Content-Length"] = str(stop - start)
    # The file is compressed already; compressing it again would lose its length.
    response["Content-Encoding"] = "identity"
    response["Content-Disposition"] = content_disposition_header(True, file.name) or ""
    response["Repr-Digest"] = _digest(file)
    return response


def _digest(file: StoredFile) -> str:
    """Return the hash of the whole file as a header has it. Source: RFC 9530."""
    return f"sha-256=:{base64.b64encode(bytes.fromhex(file.sha256)).decode()}:"


def _pieces(path: Path, start: int, stop: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(start)
        remaining = stop - start
        while remaining > 0 and (piece := file.read(min(_PIECE, remaining))):
            remaining -= len(piece)
            yield piece
