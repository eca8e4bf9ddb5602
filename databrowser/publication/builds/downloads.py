"""The files of a version that people download: all rows of a year, in one pass over them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from isal import igzip

from databrowser.publication.columns import SCHEMA
from databrowser.publication.layout import LOANS
from databrowser.publication.scratch_database import GROUP_ROWS, Progress
from filing.files.digests import sha256
from filing.lar.ahead import ahead

_LEVEL = 2  # of ISA-L, a quarter of the time of gzip's first and a little smaller


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
_MARKS = (b'"', b"|", b"\r")  # beside commas and line feeds, that a value is quoted for
_TEXTS = tuple(form for form in FORMS.values() if form.separator)


def write(loans: Path, folder: Path, progress: Progress | None = None) -> None:
    """Write the rows as text, each form packed as one stream, beside each other.

    A header of the names of `SCHEMA` leads. The same rows give the same bytes.
    """
    header = pl.DataFrame(schema=SCHEMA)
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(len(_TEXTS)))
        files = [stack.enter_context(_packed(folder / form.file)) for form in _TEXTS]

        def put(frame: pl.DataFrame, *, names: bool = False) -> None:
            list(pool.map(igzip.IGzipFile.write, files, _texts(frame, names=names)))

        put(header, names=True)
        for frame, done in ahead(_frames(loans)):
            put(frame)
            if progress:
                progress(done)


def _packed(file: Path) -> igzip.IGzipFile:
    return igzip.IGzipFile(file, "wb", _LEVEL, mtime=0)


def _texts(frame: pl.DataFrame, *, names: bool) -> list[bytes]:
    """Return rows in each of the forms that are text."""
    plain = frame.write_csv(include_header=names, quote_style="never").encode()
    lines = frame.height + names
    is_plain = plain.count(b"\n") == lines and plain.count(b",") == lines * (frame.width - 1)
    if is_plain and not any(mark in plain for mark in _MARKS):
        return [
            plain if form.separator == "," else plain.replace(b",", form.separator.encode())
            for form in _TEXTS
        ]
    # Blanks would be written as quotes.
    quoted = frame.with_columns(pl.col(pl.String).replace("", None))
    return [
        quoted.write_csv(include_header=names, separator=form.separator).encode() for form in _TEXTS
    ]


def _frames(loans: Path) -> Iterator[tuple[pl.DataFrame, float]]:
    """Yield the rows in frames, each with the part of all that is done with it."""
    rows = pl.scan_parquet(loans)
    height = rows.select(pl.len()).collect().item()
    for start in range(0, height, GROUP_ROWS):
        yield rows.slice(start, GROUP_ROWS).collect(), min(1.0, (start + GROUP_ROWS) / height)


def fact(file: Path) -> dict[str, int | str]:
    """Return the size in bytes and the SHA-256 of a file."""
    return {"bytes": file.stat().st_size, "sha256": sha256(file)}
