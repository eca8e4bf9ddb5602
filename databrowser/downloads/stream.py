"""The rows of a question as a stream: CSV, separated by pipes, or Parquet, in constant memory.

Rows come by year, and in a year in the order of its published file. A stream takes one of the few
places for downloads when it is made, and gives it back when it is closed: then its query is
stopped, wherever it was.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from databrowser.dimensions.catalogue import COUNTY, LEI, MSAMD, STATE
from databrowser.dimensions.statements import Statement
from databrowser.publication.columns import PUBLIC
from databrowser.publication.lazy_imports import pa, pq
from databrowser.publication.serving.engine import engine
from databrowser.query.questions import Question
from databrowser.query.totals import Live, asked_years, lines_statement, rows_statement

_LINES_AT_ONCE = 10_000
_ROWS_AT_ONCE = 30_000  # of a row group in Parquet
_LONGEST_NAME = 100
_ORDER_IN_NAMES = (MSAMD, STATE, COUNTY, LEI)


@dataclass(frozen=True, slots=True)
class Format:
    """A form of rows. separator: between the cells of a line; none for what is not text."""

    ending: str
    content_type: str
    separator: str = ""


CSV = Format("csv", "text/csv; charset=UTF-8", ",")
PIPE = Format("psv", "text/plain; charset=UTF-8", "|")
PARQUET = Format("parquet", "application/vnd.apache.parquet")


class Download:
    """The pieces of a file. Hand it to a streaming response, which closes it in any case."""

    def __init__(self, question: Question, live: Live, form: Format) -> None:
        """Raises: Busy."""
        self._held = ExitStack()
        self._held.enter_context(engine().downloads.one())
        self._pieces = self._written(question, asked_years(question, live), form)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._pieces)

    def close(self) -> None:
        """Stop the query, if it runs, and give the place back."""
        self._pieces.close()
        self._held.close()

    def _written(
        self, question: Question, data_sets: Live, form: Format
    ) -> Generator[bytes, None, None]:
        if not form.separator:
            yield from _parquet(rows_statement(question, each) for each in data_sets)
            return
        yield f"{form.separator.join(each.browser for each in PUBLIC)}\n".encode()
        for each in data_sets:
            statement = lines_statement(question, each, separator=form.separator)
            for batch in _batches(statement, _LINES_AT_ONCE):
                yield _text(batch.column(0))


def _batches(statement: Statement, rows: int) -> Iterator[pa.RecordBatch]:
    cursor = engine().cursor()
    try:
        result = cursor.from_query(statement.sql, params=list(statement.values))
        yield from result.to_arrow_reader(rows)
    finally:
        cursor.interrupt()
        cursor.close()


def _text(lines: pa.StringArray) -> bytes:
    """Return all lines as one text: they lie in memory one after the other."""
    if not len(lines):
        return b""
    _, offsets, text = lines.buffers()
    ends = np.frombuffer(offsets, np.int32)[lines.offset : lines.offset + len(lines) + 1]
    return bytes(memoryview(text)[int(ends[0]) : int(ends[-1])])


class _Written:
    """What a writer has written and nobody has taken yet."""

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
        """Nothing is held back."""

    def close(self) -> None:
        """Nothing is held open."""

    def take(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _parquet(statements: Iterator[Statement]) -> Iterator[bytes]:
    numbers = {"activity_year": pa.int32(), "loan_amount": pa.float64()}
    schema = pa.schema([(each.name, numbers.get(each.name, pa.string())) for each in PUBLIC])
    written = _Written()
    with pq.ParquetWriter(written, schema, compression="zstd") as file:
        yield written.take()  # its first bytes, before there are any rows
        for statement in statements:
            for batch in _batches(statement, _ROWS_AT_ONCE):
                file.write_batch(batch.cast(schema))
                yield written.take()
    yield written.take()


def file_name(question: Question, form: Format) -> str:
    """Return under which name a browser saves the rows: what they were chosen by."""
    by_dimension = dict(question.places)
    chosen = [(each, by_dimension[each]) for each in _ORDER_IN_NAMES if each in by_dimension]
    parts = [f"{each.key}_{'-'.join(values)}" for each, values in (*chosen, *question.filters)]
    parts.append(f"year_{'-'.join(map(str, question.years))}")
    name = re.sub(r"[^A-Za-z0-9._-]", "-", "_".join(parts))
    if len(name) > _LONGEST_NAME:
        digest = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()
        name = name[:_LONGEST_NAME] + digest
    return f"{name}.{form.ending}"
