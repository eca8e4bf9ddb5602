"""Answers that a browser saves as a file, and CSV that is written while it is sent."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

CSV = "text/csv; charset=UTF-8"
TEXT = "text/plain; charset=UTF-8"
BOM = "\ufeff"  # by which spreadsheets recognize UTF-8

Response = TypeVar("Response", bound=HttpResponseBase)


def streamed(
    name: str,
    pieces: Iterable[str] | Iterable[bytes],
    *,
    content_type: str = CSV,
) -> StreamingHttpResponse:
    """Return a streamed answer that a browser saves under a name."""
    return saved_as(name, StreamingHttpResponse(pieces, content_type=content_type))


def saved_as(name: str, response: Response) -> Response:
    """Return an answer that a browser saves under a name."""
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response


def csv_lines(rows: Iterable[Iterable[Any]], **form: Any) -> Iterator[str]:
    """Yield a line of CSV for each row. form: keyword arguments of `csv.writer`."""
    writer = csv.writer(_Echo(), **form)
    return (writer.writerow(row) for row in rows)


def csv_pieces(rows: Iterable[Iterable[Any]], *, size: int, **form: Any) -> Iterator[str]:
    """Yield CSV in pieces of several lines. Units: size in lines."""
    lines = csv_lines(rows, **form)
    while piece := "".join(islice(lines, size)):
        yield piece


class _Echo:
    """A file whose `write` returns the text."""

    def write(self, line: str) -> str:
        return line
