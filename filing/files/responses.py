"""Responses with files: saved by a browser, streamed, conditional on an ETag, or handed over.

What a caller already has, by its ETag, is not sent again. An uploaded file from which an answer is
made is deleted when the answer is closed; it is checked before the answer begins. A stored file may
be handed over: a proxy or the storage sends it in place of a thread of ours. The view has checked
the caller and recorded the download; the answer only names the file. Which way is taken says the
setting `DOWNLOADS`; where it does not fit, the service sends the file itself.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from hashlib import blake2b
from itertools import islice
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header, quote_etag
from rest_framework.request import Request
from rest_framework.response import Response

CSV = "text/csv; charset=UTF-8"
TEXT = "text/plain; charset=UTF-8"
BOM = "\ufeff"  # by which spreadsheets recognize UTF-8

Answer = TypeVar("Answer", bound=HttpResponseBase)
Piece = TypeVar("Piece", str, bytes)
STREAM, ACCEL, SENDFILE, PRESIGNED = "stream", "x-accel-redirect", "x-sendfile", "presigned"
STORED_FILES_LOCATION = (
    "/stored-files/"  # in deploy/nginx.conf, which only answers of the service lead to
)
ADDRESS_SECONDS = 300  # in which a download by a presigned address must begin


def stream_attachment(
    name: str,
    pieces: Iterable[str] | Iterable[bytes],
    *,
    content_type: str = CSV,
) -> StreamingHttpResponse:
    """Return a streamed answer that a browser saves under a name."""
    return make_attachment(name, StreamingHttpResponse(pieces, content_type=content_type))


def make_attachment(name: str, response: Answer) -> Answer:
    """Return an answer that a browser saves under a name."""
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response


def write_csv_lines(rows: Iterable[Iterable[Any]], **form: Any) -> Iterator[str]:
    """Yield a line of CSV for each row. form: keyword arguments of `csv.writer`."""
    writer = csv.writer(_Echo(), **form)
    return (writer.writerow(row) for row in rows)


def write_csv_pieces(rows: Iterable[Iterable[Any]], *, size: int, **form: Any) -> Iterator[str]:
    """Yield CSV in pieces of several lines. Units: size in lines."""
    lines = write_csv_lines(rows, **form)
    while piece := "".join(islice(lines, size)):
        yield piece


class _Echo:
    """A file whose `write` returns the text."""

    def write(self, line: str) -> str:
        return line


def make_etag(content: Any) -> str:
    """Return the ETag of values that are computed for an answer."""
    return quote_etag(blake2b(repr(content).encode(), digest_size=12).hexdigest())


def answer_conditionally(
    request: HttpRequest | Request, etag: str, answer: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Return the result of `answer` with its ETag, or 304 or 412 if the request says so."""
    plain = request._request if isinstance(request, Request) else request
    without_body = get_conditional_response(plain, etag=etag)
    response: HttpResponseBase = answer() if without_body is None else without_body
    response["ETag"] = etag
    return response


def answer_json(request: Request, body: Any) -> HttpResponseBase:
    """Return a JSON body with its ETag, or 304 or 412 if the request says so."""
    return answer_conditionally(request, make_etag(body), lambda: Response(body))


class StreamedAnswer(Generic[Piece]):
    """The pieces of an answer, and the resources that stay open until it is closed.

    Hand it to a streaming response, which closes it whether it was read to its end or not.
    resources: closes the file and all that was computed from it. name: of the file.
    """

    def __init__(
        self, pieces: Callable[[], Iterator[Piece]], resources: ExitStack, *, name: str = ""
    ) -> None:
        self.name = name
        self._pieces: Callable[[], Iterator[Piece]] = pieces
        self._resources = resources.pop_all()

    def __iter__(self) -> Iterator[Piece]:
        return self._pieces()

    def close(self) -> None:
        """Close the resources."""
        self._resources.close()


def hand_over_file(
    request: HttpRequest, stored: str, *, name: str, content_type: str
) -> HttpResponse | None:
    """Return an answer that names a stored file; None if the service must send the file itself.

    stored: its name in storage. name: the name for saving it.
    """
    disposition = content_disposition_header(True, name) or ""
    if settings.DOWNLOADS == PRESIGNED:
        return _redirect(request, stored, disposition, content_type)
    if settings.DOWNLOADS == STREAM or not isinstance(default_storage, FileSystemStorage):
        return None
    response = HttpResponse(content_type=content_type)
    response["Content-Disposition"] = disposition
    if settings.DOWNLOADS == ACCEL:
        response["X-Accel-Redirect"] = STORED_FILES_LOCATION + quote(stored)
    else:
        response["X-Sendfile"] = quote(default_storage.path(stored))
    return response


def _redirect(
    request: HttpRequest, stored: str, disposition: str, content_type: str
) -> HttpResponse | None:
    """Return a redirect to the bucket.

    Not of a request with a token: many programs would send the token to the bucket as well, which
    must not have it and refuses two signatures. Not of a form: our policy for browsers lets forms
    lead to this site only. The address is signed for GET alone.
    """
    if isinstance(default_storage, FileSystemStorage):
        return None
    if request.method != "GET" or "Authorization" in request.headers:
        return None
    parameters = {
        "ResponseContentDisposition": disposition,
        "ResponseContentType": content_type,
    }
    response = HttpResponseRedirect(
        default_storage.url(stored, parameters=parameters, expire=ADDRESS_SECONDS)  # type: ignore[call-arg]
    )
    response["Cache-Control"] = "no-store"  # the address expires
    return response
