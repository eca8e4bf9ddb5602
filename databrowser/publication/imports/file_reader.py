"""Reads published files of public loan rows: what their header says, and their rows as Parquet.

The columns may stand in any order, and their names be spelled as in the national files or as in
what the data browser answers.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import shutil
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn, cast

from databrowser.publication import scratch_database
from databrowser.publication.columns import PUBLIC, SCHEMA
from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.scratch_database import PARQUET, Progress
from filing.errors import BadInput
from filing.lar.period import FIRST_YEAR, LAST_YEAR

_LONGEST_HEADER = 1 << 16  # bytes
_SUFFIXES = {".gz": "gzip", ".zip": "zip"}
# Names of published files that are neither ours nor the data browser's.
_ALSO = {
    "loan_to_value_ratio": "combined_loan_to_value_ratio",
    "interest_only_payments": "interest_only_payment",
    "other_non_amortizing_features": "other_nonamortizing_features",
    "applicant_credit_scoring_model": "applicant_credit_score_type",
    "co_applicant_credit_scoring_model": "co_applicant_credit_score_type",
}
_NUMBERS = {"activity_year": "INTEGER", "loan_amount": "DOUBLE"}
# Each with what makes its value good, and what would be right.
_CHECKS = {
    "activity_year": (
        f"coalesce(activity_year BETWEEN {FIRST_YEAR} AND {LAST_YEAR}, false)",
        f"a year from {FIRST_YEAR} to {LAST_YEAR}",
    ),
    "lei": ("length(lei) BETWEEN 1 AND 20", "an LEI of 20 characters"),
    "loan_amount": (
        "coalesce(loan_amount >= 0 AND isfinite(loan_amount), false)",
        "an amount in dollars, such as 205000.0",
    ),
}
# What unpacking a file raises that is cut off, or is none.
_BROKEN = (gzip.BadGzipFile, zipfile.BadZipFile, zlib.error, EOFError)
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CELLS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")


@dataclass(frozen=True)
class Header:
    """The first line of a file. separator: a comma or a pipe. columns: our names, as they stand."""

    separator: str
    columns: tuple[str, ...]


def header(file: Path) -> Header:
    """Return what the first line of a file says.

    Raises: BadInput when it is not that of a public loan file.
    """
    try:
        with _opened(file) as opened:
            first = opened.readline(_LONGEST_HEADER)
    except _BROKEN as error:
        raise _cannot_unpack(file) from error
    try:
        line = first.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file.name} is not text in UTF-8: its first line cannot be read.") from (
            error
        )
    separator = "|" if "|" in line else ","
    names = next(csv.reader(io.StringIO(line), delimiter=separator), [])
    columns = tuple(map(_column, names))
    _require_all(file, columns)
    return Header(separator, columns)


def _column(name: str) -> str:
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    return _ALSO.get(plain, plain)


def _require_all(file: Path, columns: tuple[str, ...]) -> None:
    missing = [name for name in SCHEMA if name not in columns]
    unknown = [name for name in columns if name not in SCHEMA]
    twice = sorted({name for name in columns if columns.count(name) > 1} - set(unknown))
    if not missing and not unknown and not twice:
        return
    found = {"missing": missing, "unknown": unknown, "given twice": twice}
    told = "; ".join(f"{what}: {_some(names)}" for what, names in found.items() if names)
    raise BadInput(
        f"The first line of {file.name} does not name the {len(PUBLIC)} columns of public loan "
        f"rows. {told[0].upper()}{told[1:]}."
    )


def _some(names: list[str]) -> str:
    shown = ", ".join(name[:60] or "(blank)" for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown


def to_parquet(
    database: duckdb.DuckDBPyConnection,
    file: Path,
    target: Path,
    *,
    folder: Path,
    progress: Progress | None = None,
) -> None:
    """Write the rows of a file as they stand, in their order, with the columns of `SCHEMA`.

    folder: a place for an unpacked copy.

    Raises: BadInput, naming line and column of the first thing that is wrong.
    """
    source = _source(_readable(file, folder), header(file))
    try:
        scratch_database.run(
            database,
            f"COPY (SELECT {', '.join(map(_typed, SCHEMA))} FROM {source}) "
            f"TO {scratch_database.text(target)} {PARQUET}",
            progress,
        )
    except duckdb.Error as error:
        _explain(file, error)
    for column, (holds, right) in _CHECKS.items():
        _check(database, file, source, target, column, holds, right)


def _typed(name: str) -> str:
    """Return the expression of a column. What is no number becomes nothing, to be found later."""
    dtype = _NUMBERS.get(name)
    # A plain column would be cast by the reader of the file, which then stops at what it cannot.
    return f"try_cast(trim({name}) AS {dtype}) AS {name}" if dtype else name


def _source(file: Path, head: Header) -> str:
    columns = ", ".join(f"{scratch_database.text(name)}: 'VARCHAR'" for name in head.columns)
    compression = "gzip" if file.suffix.lower() == ".gz" else "none"
    return (
        f"read_csv({scratch_database.text(file)}, auto_detect = false, header = true, "
        f"delim = {scratch_database.text(head.separator)}, quote = '\"', escape = '\"', "
        f"compression = '{compression}', columns = {{{columns}}}, "
        f"force_not_null = {scratch_database.texts(list(head.columns))})"
    )


def _explain(file: Path, error: duckdb.Error) -> NoReturn:
    """Say in our words what the reader found; what it did not is raised as it is."""
    line, cells = _LINE.search(str(error)), _CELLS.search(str(error))
    if line is None:
        if isinstance(error, duckdb.IOException) and file.suffix.lower() in _SUFFIXES:
            raise _cannot_unpack(file) from error
        raise error
    if cells:
        what = f"has {cells[2]} values, and {cells[1]} columns are named in the first line"
    elif "unicode" in str(error):
        what = "is not text in UTF-8"
    else:
        what = "cannot be read: is a quotation mark left open?"
    raise BadInput(f"Line {line[1]} of {file.name} {what}. Nothing was loaded.") from error


def _check(
    database: duckdb.DuckDBPyConnection,
    file: Path,
    source: str,
    target: Path,
    column: str,
    holds: str,
    right: str,
) -> None:
    bad = database.execute(
        f"SELECT file_row_number FROM read_parquet({scratch_database.text(target)}, "
        f"file_row_number = true) WHERE NOT ({holds}) ORDER BY 1 LIMIT 1"
    ).fetchone()
    if bad is None:
        return
    found = database.execute(f"SELECT {column} FROM {source} LIMIT 1 OFFSET {bad[0]}").fetchone()
    value = str(found[0])[:60] if found else ""
    raise BadInput(
        f"Line {bad[0] + 2} of {file.name}, column {column}: {value!r} is not {right}. "
        "Nothing was loaded."
    )


def _readable(file: Path, folder: Path) -> Path:
    """Return a file that can be read from several places: one in a zip is unpacked first."""
    if _SUFFIXES.get(file.suffix.lower()) != "zip":
        return file
    unpacked = folder / "unpacked.csv"
    try:
        with _opened(file) as opened, unpacked.open("wb") as target:
            shutil.copyfileobj(opened, target, 1 << 20)
    except _BROKEN as error:
        raise _cannot_unpack(file) from error
    return unpacked


def _cannot_unpack(file: Path) -> BadInput:
    return BadInput(f"{file.name} cannot be unpacked: it is cut off, or packed in another way.")


def _opened(file: Path) -> BinaryIO:
    """Open a file plain or packed.

    Raises: BadInput for what is no such file.
    """
    packed = _SUFFIXES.get(file.suffix.lower())
    if packed == "gzip":
        return cast(BinaryIO, gzip.open(file))
    if packed is None:
        return file.open("rb")
    archive = zipfile.ZipFile(file)
    names = [name for name in archive.namelist() if name.lower().endswith((".csv", ".txt"))]
    if len(names) != 1:
        raise BadInput(f"{file.name} must hold one .csv or .txt file, and holds {len(names)}.")
    return cast(BinaryIO, archive.open(names[0]))
