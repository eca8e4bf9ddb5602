"""The files of a version made from its records: those to download, and the serving file.

All records of a year are written to the download files in one pass.

The serving file has the columns that queries filter and sum, small enough to scan: a DuckDB file
with six tables. `loans` has one row per public record, in the order of the Parquet file;
`loans_by_lei` has the same rows sorted by institution, so a query by LEI reads only a few. The
`ROLLUPS` hold counts and sums by state and data filters; `institutions` and `filers` hold the
institutions and the number of their records by place.

A value of a dimension is stored as its position in `dimensions`, starting at 1; 0 is any other.
Values may therefore be added at the end but never moved. Counties, MSA/MDs and census tracts are
stored as numbers, 0 for none; an institution as its position in `institutions`, by LEI.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from isal import isal_zlib

from databrowser.dimensions.catalogue import (
    COUNTY,
    DEBT_TO_INCOME,
    DIMENSIONS,
    FILTERS,
    LEI,
    MSAMD,
    NUMBERS,
    ROLLUPS,
    STATE,
    TRACT,
)
from databrowser.dimensions.dimension import Dimension
from databrowser.publication import scratch_database
from databrowser.publication.columns import SCHEMA
from databrowser.publication.layout import LOANS
from databrowser.publication.scratch_database import GROUP_ROWS, Progress
from filing.lar.prefetch import map_in_parallel

_LEVEL = 2  # of ISA-L: a quarter of the time of gzip's level 1, and a little smaller
_GZIP_WINDOW_BITS = 16 + isal_zlib.MAX_WBITS  # with the header and the trailer of gzip
_CODED = (STATE, *FILTERS, DEBT_TO_INCOME)


@dataclass(frozen=True)
class DownloadForm:
    """A format in which a year is downloaded. file: its name in addresses."""

    name: str
    file: str
    content_type: str
    separator: str = ""
    describes: str = ""


FORMS = {
    form.name: form
    for form in (
        DownloadForm("csv", "loans.csv.gz", "application/gzip", ",", "comma-delimited, gzip"),
        DownloadForm("pipe", "loans.txt.gz", "application/gzip", "|", "pipe-delimited, gzip"),
        DownloadForm(
            "parquet", LOANS, "application/vnd.apache.parquet", describes="Parquet with types, zstd"
        ),
    )
}
_MARKS = (b'"', b"|", b"\r")  # values with these are quoted, like commas and line feeds
TEXTS = tuple(form for form in FORMS.values() if form.separator)


def write_download_files(
    loans: Path, folder: Path, progress: Progress = lambda share: None
) -> None:
    """Write the records in each text format, compressed in parallel."""
    with ExitStack() as stack:
        files = [stack.enter_context((folder / form.file).open("wb")) for form in TEXTS]
        for pieces, share in make_download_pieces(loans, TEXTS):
            for file, piece in zip(files, pieces, strict=True):
                file.write(piece)
            progress(share)


def make_download_pieces(
    loans: Path, forms: Sequence[DownloadForm]
) -> Iterator[tuple[list[bytes], float]]:
    """Yield the next bytes of the file of each text format, and the share of records up to them.

    The first line has the names of `SCHEMA`. The same records give the same bytes, whenever and for
    whichever formats: files of published versions are made again with this. They depend on which
    text is compressed at a time, so a file of the standard library, which may buffer, is not used.
    """
    compressors = [
        isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, _GZIP_WINDOW_BITS) for _ in forms
    ]
    with ThreadPoolExecutor(len(forms)) as pool:

        def compress(frame: pl.DataFrame, *, names: bool = False) -> list[bytes]:
            texts = _texts(frame, forms, names=names)
            return list(pool.map(lambda each, text: each.compress(text), compressors, texts))

        yield compress(pl.DataFrame(schema=SCHEMA), names=True), 0.0
        rows = pl.scan_parquet(loans)
        starts = range(0, rows.select(pl.len()).collect().item(), GROUP_ROWS)
        frames = map_in_parallel(
            lambda start: rows.slice(start, GROUP_ROWS).collect(), starts, threads=1
        )
        for number, frame in enumerate(frames, 1):
            yield compress(frame), number / len(starts)
    yield [compressor.flush() for compressor in compressors], 1.0


def _texts(frame: pl.DataFrame, forms: Sequence[DownloadForm], *, names: bool) -> list[bytes]:
    """Return records in each of some text formats."""
    text = frame.write_csv(include_header=names, quote_style="never").encode()
    lines = frame.height + names
    is_plain = text.count(b"\n") == lines and text.count(b",") == lines * (frame.width - 1)
    if is_plain and not any(mark in text for mark in _MARKS):
        return [
            text if form.separator == "," else text.replace(b",", form.separator.encode())
            for form in forms
        ]
    # Blank texts would be written as quotes.
    quoted = frame.with_columns(pl.col(pl.String).replace("", None))
    return [
        quoted.write_csv(include_header=names, separator=form.separator).encode() for form in forms
    ]


def write_serving_file(parquet: Path, filers: pl.DataFrame, target: Path) -> None:
    """Write the serving file of a data set.

    Shape: parquet has the columns of `columns.SCHEMA`; filers has the columns lei and name. An
           institution that is not in filers gets its LEI as its name.
    """
    names = filers.select("lei", "name").unique("lei", keep="last").to_arrow()
    with scratch_database.connect_scratch(target.parent, target) as database:
        database.register("names", names)
        source: list[Any] = [str(parquet)]
        database.execute(
            "CREATE TABLE institutions AS "
            "SELECT (row_number() OVER (ORDER BY lei))::INTEGER AS id, lei, "
            "coalesce(nullif(name, ''), lei) AS name "
            "FROM (SELECT DISTINCT lei FROM read_parquet(?)) LEFT JOIN names USING (lei) "
            "ORDER BY lei",
            source,
        )
        # An enumeration is the fastest way from a text to its number, and keeps the order of rows.
        database.execute("CREATE TYPE leis AS ENUM (SELECT lei FROM institutions ORDER BY lei)")
        columns = [_code(dimension) for dimension in _CODED]
        database.execute(
            f"CREATE TABLE loans AS SELECT {', '.join(columns)}, "
            f"{_number(MSAMD)}, {_number(COUNTY)}, {_number(TRACT, 'UBIGINT')}, "
            f"{', '.join(f'TRY_CAST({name} AS DOUBLE) AS {name}' for name in NUMBERS)}, "
            f"(enum_code({LEI.column}::leis) + 1)::INTEGER AS {LEI.column}, loan_amount "
            "FROM read_parquet(?)",
            [*(list(dimension.values) for dimension in _CODED), *source],
        )
        database.execute("DROP TYPE leis")
        database.execute(f"CREATE TABLE loans_by_lei AS FROM loans ORDER BY {LEI.column}")
        for table, dimensions in ROLLUPS.items():
            rollup_columns = ", ".join(dimension.column for dimension in dimensions)
            database.execute(
                f"CREATE TABLE {table} AS SELECT {rollup_columns}, count(*)::BIGINT AS rows, "
                f"coalesce(sum(loan_amount), 0)::DOUBLE AS amount FROM loans "
                f"GROUP BY {rollup_columns} ORDER BY {rollup_columns}"
            )
        place_columns = ", ".join(
            dimension.column for dimension in DIMENSIONS if dimension.is_place
        )
        database.execute(
            f"CREATE TABLE filers AS SELECT {place_columns}, count(*)::BIGINT AS rows FROM loans "
            f"GROUP BY {place_columns} ORDER BY {place_columns}"
        )


def _code(dimension: Dimension) -> str:
    """Return the SQL of a code; its parameter is the list of values."""
    column = dimension.column
    return f"coalesce(list_position(?::VARCHAR[], {column}), 0)::UTINYINT AS {column}"


def _number(dimension: Dimension, dtype: str = "UINTEGER") -> str:
    column = dimension.column
    return (
        f"(CASE WHEN regexp_full_match({column}, '{dimension.form}') THEN {column} ELSE '0' END)"
        f"::{dtype} AS {column}"
    )
