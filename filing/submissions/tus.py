"""Resumable uploads over HTTP: the requests of the protocol, for the API and for pages alike.

Source: tus resumable upload protocol 1.0 with the extensions creation, checksum and termination,
https://tus.io/protocols/resumable-upload
"""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.http.response import HttpResponseBase

from filing.access import Caller
from filing.errors import BadInput, LengthRequired, WrongContentType, WrongVersion
from filing.models import Submission
from filing.requests import TUS_EXTENSIONS, TUS_VERSION
from filing.storable_text import is_storable
from filing.submissions import resumable_uploads
from filing.submissions.ownership import Misfit, accept_any

CONTENT_TYPE = "application/offset+octet-stream"
CHECKSUM = "sha256"
LONGEST_NUMBER = 19  # digits
# Texts in Base64 with at least one byte, and those with the bytes of a SHA-256.
BASE64 = "(?:[0-9A-Za-z+/]{4})*(?:[0-9A-Za-z+/]{4}|[0-9A-Za-z+/]{3}=|[0-9A-Za-z+/]{2}==)"
SHA256_IN_BASE64 = "[0-9A-Za-z+/]{43}="
CREATION_HEADERS = ("Tus-Resumable", "Upload-Length", "Upload-Metadata")  # what asks for an upload
# A lost line loses what was being read, and no lease is renewed meanwhile: read for a moment only.
_SMALLEST_PIECE, _LARGEST_PIECE = 1 << 10, 1 << 16  # bytes read at once
_QUICK_SECONDS = 0.1  # in which a piece arrives that the next one may be larger than
_REASONS = {423: "Locked", 460: "Checksum Mismatch"}


def answer_options() -> HttpResponse:
    """Return what the service offers."""
    return HttpResponse(
        status=HTTPStatus.NO_CONTENT,
        headers={
            "Tus-Version": TUS_VERSION,
            "Tus-Extension": TUS_EXTENSIONS,
            "Tus-Max-Size": str(settings.UPLOAD_LIMIT),
            "Tus-Checksum-Algorithm": CHECKSUM,
        },
    )


def answer_creation(
    request: HttpRequest, submission: Submission, *, by: Caller, address: str = ""
) -> HttpResponse:
    """Begin an upload; the address of the answer is that of the request and its key.

    address: that of the submission's uploads, if the request has another one.

    Raises: WrongVersion; BadInput; what `resumable_uploads.begin_upload` raises.
    """
    require_version(request)
    length = _number(request, "Upload-Length")
    name = _file_name(request.headers.get("Upload-Metadata", ""))
    upload = resumable_uploads.begin_upload(submission, name=name, length=length, by=by)
    uploads_address = address or request.path
    location = f"{uploads_address.rstrip('/')}/{upload.key}"
    if uploads_address.endswith("/"):
        location += "/"
    return HttpResponse(status=HTTPStatus.CREATED, headers={"Location": location})


def answer_offset(
    request: HttpRequest,
    submission: Submission,
    key: str,
    *,
    by: Caller,
    misfit: Misfit = accept_any,
) -> HttpResponse:
    """Return how many bytes of an upload are stored; complete it if that was left to do.

    misfit: as of `resumable_uploads.append_to_upload`.

    Raises: WrongVersion; NotFound; BadInput for a file that is not a LAR; Locked.
    """
    require_version(request)
    upload = resumable_uploads.find_upload(submission, key)
    if upload.is_open and upload.is_complete:
        resumable_uploads.complete_upload(upload, by=by, misfit=misfit)
    name = base64.b64encode(upload.file_name.encode()).decode()
    return HttpResponse(
        status=HTTPStatus.OK,
        headers={
            "Upload-Offset": str(upload.offset),
            "Upload-Length": str(upload.length),
            "Upload-Metadata": f"filename {name}",
        },
    )


def answer_append(
    request: HttpRequest,
    submission: Submission,
    key: str,
    *,
    by: Caller,
    misfit: Misfit = accept_any,
) -> HttpResponse:
    """Add the body of the request to an upload at its offset.

    misfit: as of `resumable_uploads.append_to_upload`.

    Raises: WrongVersion; WrongContentType; LengthRequired; BadInput; NotFound; what
    `resumable_uploads.append_to_upload` raises.
    """
    require_version(request)
    if request.content_type != CONTENT_TYPE:
        raise WrongContentType(f"Send the bytes as {CONTENT_TYPE}.")
    size = _content_length(request)
    offset = _number(request, "Upload-Offset")
    sha256 = _checksum(request.headers.get("Upload-Checksum"))
    upload = resumable_uploads.find_upload(submission, key)
    if offset != upload.offset:
        raise resumable_uploads.refuse_other_offset()
    if upload.is_open:
        pieces = _pieces(request)
        resumable_uploads.append_to_upload(
            upload, pieces, size=size, sha256=sha256, by=by, misfit=misfit
        )
    elif size:
        raise resumable_uploads.refuse_excess_bytes(upload, size)
    return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"Upload-Offset": str(upload.offset)})


def answer_end(
    request: HttpRequest, submission: Submission, key: str, *, by: Caller
) -> HttpResponse:
    """End an upload; its parts are removed.

    Raises: WrongVersion; NotFound; Conflict when it is complete.
    """
    require_version(request)
    upload = resumable_uploads.find_upload(submission, key)
    resumable_uploads.end_upload(upload, "The upload was canceled.", by=by)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def require_version(request: HttpRequest) -> None:
    """Refuse a caller that speaks another version of the protocol. Raises: WrongVersion."""
    version = request.headers.get("Tus-Resumable")
    if version != TUS_VERSION:
        fault = f"is {version[:20]!r}" if version else "is missing"
        raise WrongVersion(f"The header Tus-Resumable {fault}; send {TUS_VERSION}.")


def add_tus_headers(response: HttpResponseBase) -> None:
    """Write the headers that each answer has, refusals too."""
    response["Tus-Resumable"] = TUS_VERSION
    response["Cache-Control"] = "no-store"
    if response.status_code == HTTPStatus.PRECONDITION_FAILED:
        response["Tus-Version"] = TUS_VERSION
    if reason := _REASONS.get(response.status_code):
        response.reason_phrase = reason


def _number(request: HttpRequest, header: str) -> int:
    """Return the number in a header. Raises: BadInput."""
    text = request.headers.get(header, "")
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
        raise BadInput(f"The header {header} must be a number of bytes.")
    return int(text)


def _content_length(request: HttpRequest) -> int:
    """Return the length of the body. Raises: LengthRequired."""
    text = request.META.get("CONTENT_LENGTH") or ""
    if not text.isdecimal():
        raise LengthRequired("Send the number of bytes in the header Content-Length.")
    return int(text)


def _file_name(metadata: str) -> str:
    """Return the file name in Upload-Metadata: pairs of a key and a value in Base64.

    Raises: BadInput.
    """
    pairs = (pair.split(" ") for pair in metadata.split(","))
    values = {words[0]: words[1] for words in (list(filter(None, p)) for p in pairs) if words[1:]}
    try:
        name = base64.b64decode(values.get("filename", ""), validate=True).decode()
    except (binascii.Error, ValueError):
        name = ""
    if not name or not is_storable(name):
        raise BadInput(
            "The header Upload-Metadata must have the name of the file: filename, a space, and the "
            "name in Base64 of its UTF-8 text."
        )
    return name


def _checksum(header: str | None) -> bytes | None:
    """Return the SHA-256 in Upload-Checksum. Raises: BadInput."""
    if header is None:
        return None
    algorithm, _, value = header.partition(" ")
    try:
        digest = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        digest = b""
    if algorithm != CHECKSUM or len(digest) != 32:
        raise BadInput(
            f"The header Upload-Checksum must be {CHECKSUM}, a space, and the SHA-256 of the body "
            "in Base64."
        )
    return digest


def _pieces(request: HttpRequest) -> Iterator[bytes]:
    """Yield the body up to its end, or to where the line was lost."""
    size, begun_at = _SMALLEST_PIECE, time.monotonic()
    with suppress(UnreadablePostError, OSError):
        while piece := request.read(size):
            is_quick = time.monotonic() - begun_at < _QUICK_SECONDS
            size = min(2 * size, _LARGEST_PIECE) if is_quick else _SMALLEST_PIECE
            yield piece
            begun_at = time.monotonic()
