"""The records of a query as a stream: CSV, pipe-delimited or Parquet, in constant memory.

The size of a download is estimated from the mean size of a row in the same data set.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import polars as pl
from django.core.cache import cache
from django.http import StreamingHttpResponse

from databrowser.dimensions.catalogue import COUNTY, LEI, MSAMD, STATE
from databrowser.dimensions.dimension import SqlStatement
from databrowser.publication import typed_files
from databrowser.publication.columns import PUBLIC
from databrowser.publication.lazy_imports import pa, pq
from databrowser.publication.serving import LiveYear, shared_engine
from databrowser.query.questions import Question
from databrowser.query.totals import Live, data_sets_of, lines_statement, rows_statement

_LINES_AT_ONCE = 10_000
_ROWS_AT_ONCE = 30_000  # of a row group in Parquet
# A limit that no file reaches: for its sake DuckDB keeps the order of the file where a list of
# values becomes a join, which else passes on whole pieces before the few rows of earlier ones.
_IN_ORDER = " LIMIT 9223372036854775807"
_LONGEST_NAME = 100
_ORDER_IN_NAMES = (MSAMD, STATE, COUNTY, LEI)

_GROUPS, _ROWS = 5, 400  # of a sample: row groups spread over the file, rows of each
_CACHE_SECONDS = 30 * 24 * 3600
_HEADER = len(",".join(column.browser for column in PUBLIC)) + 1
_FRAME = 63_000  # bytes of a Parquet file without rows


@dataclass(frozen=True, slots=True)
class DownloadFormat:
    """A file format. separator: between the values of a line; blank if it is not text."""

    ending: str
    label: str
    content_type: str
    separator: str = ""


CSV = DownloadFormat("csv", "CSV", "text/csv; charset=UTF-8", ",")
PIPE = DownloadFormat("psv", "Pipes", "text/plain; charset=UTF-8", "|")
PARQUET = DownloadFormat("parquet", "Parquet", "application/vnd.apache.parquet")
FORMATS = {form.ending: form for form in (CSV, PIPE, PARQUET)}


class Download:
    """The pieces of a file, for a streaming response, which always closes it."""

    def __init__(self, question: Question, live: Live, form: DownloadFormat) -> None:
        """Raises: QueriesBusy."""
        self._resources = ExitStack()
        self._resources.enter_context(shared_engine().download_slots.take())
        self._pieces = self._written_pieces(question, data_sets_of(question, live), form)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._pieces)

    def close(self) -> None:
        """Stop the query if it is running, and free the slot."""
        self._pieces.close()
        self._resources.close()

    def _written_pieces(
        self, question: Question, data_sets: Live, form: DownloadFormat
    ) -> Generator[bytes, None, None]:
        if not form.separator:
            yield from _parquet(question, data_sets)
            return
        yield f"{form.separator.join(column.browser for column in PUBLIC)}\n".encode()
        for data_set in data_sets:
            statement = lines_statement(question, data_set, separator=form.separator)
            for batch in _batches(statement, _LINES_AT_ONCE):
                yield _text(batch.column(0))


def _batches(statement: SqlStatement, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield what a statement selects, so many rows at once, in the order of its file."""
    cursor = shared_engine().download_cursor()
    try:
        result = cursor.from_query(statement.sql + _IN_ORDER, params=list(statement.values))
        yield from result.to_arrow_reader(rows)
    finally:
        cursor.interrupt()
        cursor.close()


def _text(lines: pa.StringArray) -> bytes:
    """Return all lines as one text; they are adjacent in memory."""
    if not len(lines):
        return b""
    _, offsets, text = lines.buffers()
    ends = np.frombuffer(offsets, np.int32)[lines.offset : lines.offset + len(lines) + 1]
    return bytes(memoryview(text)[int(ends[0]) : int(ends[-1])])


class _Buffer:
    """A file in memory, for what the Parquet writer has written and was not sent yet."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._position = 0

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        self._position += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._position

    def flush(self) -> None:
        """Do nothing: there is no further buffer."""

    def close(self) -> None:
        """Do nothing: no file is open."""

    def take(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _parquet(question: Question, data_sets: Live) -> Iterator[bytes]:
    versions = ",".join(data_set.name for data_set in data_sets)
    schema = typed_files.typed_schema(max(question.years), {"versions": versions})
    buffer = _Buffer()
    with pq.ParquetWriter(buffer, schema, compression="zstd") as file:
        yield buffer.take()  # the first bytes, before any rows
        for data_set in data_sets:
            for batch in _batches(rows_statement(question, data_set), _ROWS_AT_ONCE):
                records = pl.DataFrame(batch)
                file.write_table(typed_files.type_records(records, schema))
                yield buffer.take()
    yield buffer.take()


def answer_with_records(
    question: Question, live: Live, form: DownloadFormat, *, has_body: bool
) -> StreamingHttpResponse:
    """Return the records of a query as a file to save.

    has_body: not for a HEAD request. The length is not known in advance, so it streams nothing.
    Raises: QueriesBusy.
    """
    pieces: Iterable[bytes] = Download(question, live, form) if has_body else ()
    response = StreamingHttpResponse(pieces, content_type=form.content_type)
    name = download_name(question, form)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def download_name(question: Question, form: DownloadFormat) -> str:
    """Return the name of a saved file, which lists the filters of the query."""
    by_dimension = dict(question.places)
    places = [
        (dimension, by_dimension[dimension])
        for dimension in _ORDER_IN_NAMES
        if dimension in by_dimension
    ]
    parts = [
        f"{dimension.key}_{'-'.join(values)}" for dimension, values in (*places, *question.filters)
    ]
    parts.append(f"year_{'-'.join(map(str, question.years))}")
    name = re.sub(r"[^A-Za-z0-9._-]", "-", "_".join(parts))
    if len(name) > _LONGEST_NAME:
        digest = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()
        name = name[:_LONGEST_NAME] + digest
    return f"{name}.{form.ending}"


def estimate_bytes(rows: int, data_sets: Sequence[LiveYear]) -> dict[str, int]:
    """Return the estimated bytes of a number of rows by the ending of the file."""
    text = parquet = 0.0
    all_rows = sum(data_set.rows for data_set in data_sets) or 1
    for data_set in data_sets:
        row_text, row_parquet = _row_bytes(data_set)
        text += row_text * data_set.rows / all_rows
        parquet += row_parquet * data_set.rows / all_rows
    text_bytes = _HEADER + round(rows * text)
    return {"csv": text_bytes, "psv": text_bytes, "parquet": _FRAME + round(rows * parquet)}


def _row_bytes(data_set: LiveYear) -> tuple[float, float]:
    """Return the mean bytes of a row as text and in Parquet, from the cache if possible."""
    key = f"databrowser:bytes-of-a-row:{data_set.sha256}"
    sizes: tuple[float, float] | None = cache.get(key)
    if sizes is None:
        sizes = _sampled_row_bytes(data_set)
        cache.set(key, sizes, _CACHE_SECONDS)
    return sizes


def _sampled_row_bytes(data_set: LiveYear) -> tuple[float, float]:
    path = data_set.parquet
    with pq.ParquetFile(path) as file:
        groups, rows = file.num_row_groups, file.metadata.num_rows
        if not rows:
            return 0.0, 0.0
        lengths: list[int] = []
        for group in sorted({groups * part // _GROUPS for part in range(_GROUPS)}):
            batch = next(file.iter_batches(_ROWS, row_groups=[group]))
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame), "A batch has columns."
            cells = [pl.col(column.name).cast(pl.String).fill_null("") for column in PUBLIC]
            line = pl.concat_str(cells, separator=",").str.len_bytes() + 1
            lengths += frame.select(line).to_series().to_list()
    return sum(lengths) / len(lengths), path.stat().st_size / rows
