"""The download files of a version: all records of a year, written in one pass."""

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
from filing.lar.prefetch import prefetched

_LEVEL = 2  # of ISA-L: a quarter of the time of gzip's level 1, and a little smaller


@dataclass(frozen=True)
class Form:
    """A format in which a year is downloaded. file: its name in the folder of a version."""

    name: str
    file: str
    content_type: str
    separator: str = ""
    describes: str = ""


FORMS = {
    form.name: form
    for form in (
        Form("csv", "loans.csv.gz", "application/gzip", ",", "comma-delimited, gzip"),
        Form("pipe", "loans.txt.gz", "application/gzip", "|", "pipe-delimited, gzip"),
        Form("parquet", LOANS, "application/vnd.apache.parquet", describes="Parquet, zstd"),
    )
}
_MARKS = (b'"', b"|", b"\r")  # values with these are quoted, like commas and line feeds
_TEXTS = tuple(form for form in FORMS.values() if form.separator)


def write(loans: Path, folder: Path, progress: Progress | None = None) -> None:
    """Write the records in each text format, compressed in parallel.

    The first line has the names of `SCHEMA`. The same records give the same bytes.
    """
    header = pl.DataFrame(schema=SCHEMA)
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(len(_TEXTS)))
        files = [stack.enter_context(_gzip_file(folder / form.file)) for form in _TEXTS]

        def put(frame: pl.DataFrame, *, names: bool = False) -> None:
            list(pool.map(igzip.IGzipFile.write, files, _texts(frame, names=names)))

        put(header, names=True)
        for frame, share in prefetched(_frames(loans)):
            put(frame)
            if progress:
                progress(share)


def _gzip_file(file: Path) -> igzip.IGzipFile:
    return igzip.IGzipFile(file, "wb", _LEVEL, mtime=0)


def _texts(frame: pl.DataFrame, *, names: bool) -> list[bytes]:
    """Return records in each of the text formats."""
    text = frame.write_csv(include_header=names, quote_style="never").encode()
    lines = frame.height + names
    is_plain = text.count(b"\n") == lines and text.count(b",") == lines * (frame.width - 1)
    if is_plain and not any(mark in text for mark in _MARKS):
        return [
            text if form.separator == "," else text.replace(b",", form.separator.encode())
            for form in _TEXTS
        ]
    # Blank texts would be written as quotes.
    quoted = frame.with_columns(pl.col(pl.String).replace("", None))
    return [
        quoted.write_csv(include_header=names, separator=form.separator).encode() for form in _TEXTS
    ]


def _frames(loans: Path) -> Iterator[tuple[pl.DataFrame, float]]:
    """Yield the records in frames, each with the share of all records up to its end."""
    rows = pl.scan_parquet(loans)
    height = rows.select(pl.len()).collect().item()
    for start in range(0, height, GROUP_ROWS):
        yield rows.slice(start, GROUP_ROWS).collect(), min(1.0, (start + GROUP_ROWS) / height)


def size_and_hash(file: Path) -> dict[str, int | str]:
    """Return the size in bytes and the SHA-256 of a file."""
    return {"bytes": file.stat().st_size, "sha256": sha256(file)}
