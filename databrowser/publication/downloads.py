"""The files of a version that people download: all rows of a year, in one pass over them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from databrowser.publication.columns import SCHEMA
from databrowser.publication.dataset import LOANS
from databrowser.publication.libraries import pq
from databrowser.publication.workbench import Progress

_ROWS = 50_000
_FASTEST = 1  # of gzip: the next levels take twice as long for a tenth less


@dataclass(frozen=True)
class Form:
    """A form in which a year is downloaded. file: what it is called in a version's folder."""

    name: str
    file: str
    content_type: str
    separator: str = ""
    describes: str = ""


FORMS = {
    form.name: form
    for form in (
        Form("csv", "loans.csv.gz", "application/gzip", ",", "comma-separated, gzip"),
        Form("pipe", "loans.txt.gz", "application/gzip", "|", "pipe-separated, gzip"),
        Form("parquet", LOANS, "application/vnd.apache.parquet", describes="Parquet, zstd"),
    )
}
_TEXTS = tuple(form for form in FORMS.values() if form.separator)


def write(loans: Path, folder: Path, progress: Progress | None = None) -> None:
    """Write the rows as text, each form packed as one stream, beside each other.

    A header of the names of `SCHEMA` leads. The same rows give the same bytes.
    """
    header = pl.DataFrame(schema=SCHEMA)
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(len(_TEXTS)))
        files = [
            stack.enter_context(
                gzip.GzipFile(
                    "", "wb", _FASTEST, stack.enter_context((folder / form.file).open("wb")), 0
                )
            )
            for form in _TEXTS
        ]

        def put(frame: pl.DataFrame, *, names: bool = False) -> None:
            def one(form: Form, file: gzip.GzipFile) -> None:
                text = frame.write_csv(include_header=names, separator=form.separator)
                file.write(text.encode())

            list(pool.map(one, _TEXTS, files))

        put(header, names=True)
        for frame, done in _frames(loans):
            put(frame)
            if progress:
                progress(done)


def _frames(loans: Path) -> Iterator[tuple[pl.DataFrame, float]]:
    """Yield the rows in frames, each with the part of all that is done with it."""
    with pq.ParquetFile(loans) as file:
        rows, done = file.metadata.num_rows, 0
        for batch in file.iter_batches(batch_size=_ROWS):
            done += batch.num_rows
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame), "A batch has columns."
            # Blank texts would be written as quotes.
            yield frame.with_columns(pl.col(pl.String).replace("", None)), done / max(rows, 1)


def fact(file: Path) -> dict[str, int | str]:
    """Return the size in bytes and the SHA-256 of a file."""
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return {"bytes": file.stat().st_size, "sha256": digest}
