"""Reads published files of public loan records: their header, and their records as Parquet.

The columns may be in any order, with names spelled as in the national files or as in downloads of
the data browser.
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
from filing.lar.years import RULEBOOKS

_LONGEST_HEADER = 1 << 16  # bytes
_SUFFIXES = {".gz": "gzip", ".zip": "zip"}
# Names in published files that differ from ours and from the data browser's.
_ALSO = {
    "loan_to_value_ratio": "combined_loan_to_value_ratio",
    "interest_only_payments": "interest_only_payment",
    "other_non_amortizing_features": "other_nonamortizing_features",
    "applicant_credit_scoring_model": "applicant_credit_score_type",
    "co_applicant_credit_scoring_model": "co_applicant_credit_score_type",
}
_NUMBERS = {"activity_year": "INTEGER", "loan_amount": "DOUBLE"}
# By column: the condition of a valid value, and the values accepted.
_CHECKS = {
    "activity_year": (
        f"coalesce(activity_year >= {RULEBOOKS[0]}, false)",
        f"a year from {RULEBOOKS[0]} on",
    ),
    "lei": ("length(lei) BETWEEN 1 AND 20", "an LEI of 20 characters"),
    "loan_amount": (
        "coalesce(loan_amount >= 0 AND isfinite(loan_amount), false)",
        "an amount in dollars, such as 205000.0",
    ),
}
# Errors raised when a compressed file is incomplete or not one.
_BROKEN = (gzip.BadGzipFile, zipfile.BadZipFile, zlib.error, EOFError)
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CELLS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")


@dataclass(frozen=True)
class FileHeader:
    """The first line of a file. separator: a comma or a pipe. columns: our names, in its order."""

    separator: str
    columns: tuple[str, ...]


def read_header(file: Path) -> FileHeader:
    """Return the header of a file.

    Raises: BadInput when it is not the header of a file of public loan records.
    """
    try:
        with _open(file) as stream:
            first = stream.readline(_LONGEST_HEADER)
    except _BROKEN as error:
        raise _cannot_unpack(file) from error
    try:
        line = first.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"The first line of {file.name} is not UTF-8 text.") from error
    separator = "|" if "|" in line else ","
    names = next(csv.reader(io.StringIO(line), delimiter=separator), [])
    columns = tuple(map(_column, names))
    _require_all(file, columns)
    return FileHeader(separator, columns)


def _column(name: str) -> str:
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    return _ALSO.get(plain, plain)


def _require_all(file: Path, columns: tuple[str, ...]) -> None:
    missing = [name for name in SCHEMA if name not in columns]
    unknown = [name for name in columns if name not in SCHEMA]
    twice = sorted({name for name in columns if columns.count(name) > 1} - set(unknown))
    if not missing and not unknown and not twice:
        return
    problems = {"missing": missing, "unknown": unknown, "repeated": twice}
    details = "; ".join(
        f"{problem}: {_shortened(names)}" for problem, names in problems.items() if names
    )
    raise BadInput(
        f"The first line of {file.name} must name the {len(PUBLIC)} columns of public loan "
        f"records. {details[0].upper()}{details[1:]}."
    )


def _shortened(names: list[str]) -> str:
    text = ", ".join(name[:60] or "(blank)" for name in names[:10])
    return f"{text} and {len(names) - 10} more" if len(names) > 10 else text


def convert_to_parquet(
    database: duckdb.DuckDBPyConnection,
    file: Path,
    target: Path,
    *,
    folder: Path,
    progress: Progress | None = None,
) -> None:
    """Write the records of a file unchanged and in order, with the columns of `SCHEMA`.

    folder: for an unpacked copy.

    Raises: BadInput, naming line and column of the first error.
    """
    source = _source(_readable(file, folder), read_header(file))
    try:
        scratch_database.run_statement(
            database,
            f"COPY (SELECT {', '.join(map(_typed, SCHEMA))} FROM {source}) "
            f"TO {scratch_database.quote(target)} {PARQUET}",
            progress,
        )
    except duckdb.Error as error:
        _explain(file, error)
    for column, (condition, accepted) in _CHECKS.items():
        _check(database, file, source, target, column, condition, accepted)


def _typed(name: str) -> str:
    """Return the SQL of a column. Invalid numbers become null, which the checks find later."""
    dtype = _NUMBERS.get(name)
    # The reader of the file would cast a plain column itself, and stop at the first invalid number.
    return f"try_cast(trim({name}) AS {dtype}) AS {name}" if dtype else name


def _source(file: Path, head: FileHeader) -> str:
    columns = ", ".join(f"{scratch_database.quote(name)}: 'VARCHAR'" for name in head.columns)
    compression = "gzip" if file.suffix.lower() == ".gz" else "none"
    return (
        f"read_csv({scratch_database.quote(file)}, auto_detect = false, header = true, "
        f"delim = {scratch_database.quote(head.separator)}, quote = '\"', escape = '\"', "
        f"compression = '{compression}', columns = {{{columns}}}, "
        f"force_not_null = {scratch_database.quote_all(list(head.columns))})"
    )


def _explain(file: Path, error: duckdb.Error) -> NoReturn:
    """Raise an error of the reader as a message for users; raise other errors unchanged."""
    line, cells = _LINE.search(str(error)), _CELLS.search(str(error))
    if line is None:
        if isinstance(error, duckdb.IOException) and file.suffix.lower() in _SUFFIXES:
            raise _cannot_unpack(file) from error
        raise error
    if cells:
        problem = f"has {cells[2]} values, but the first line names {cells[1]} columns"
    elif "unicode" in str(error):
        problem = "is not UTF-8 text"
    else:
        problem = "has a quotation mark that is not closed"
    raise BadInput(f"Line {line[1]} of {file.name} {problem}. Nothing was loaded.") from error


def _check(
    database: duckdb.DuckDBPyConnection,
    file: Path,
    source: str,
    target: Path,
    column: str,
    condition: str,
    accepted: str,
) -> None:
    first_bad = database.execute(
        f"SELECT file_row_number FROM read_parquet({scratch_database.quote(target)}, "
        f"file_row_number = true) WHERE NOT ({condition}) ORDER BY 1 LIMIT 1"
    ).fetchone()
    if first_bad is None:
        return
    row = database.execute(
        f"SELECT {column} FROM {source} LIMIT 1 OFFSET {first_bad[0]}"
    ).fetchone()
    value = str(row[0])[:60] if row else ""
    raise BadInput(
        f"{column} on line {first_bad[0] + 2} of {file.name} is {value!r}; enter {accepted}. "
        "Nothing was loaded."
    )


def _readable(file: Path, folder: Path) -> Path:
    """Return a file that the reader accepts: one in a .zip is unpacked first."""
    if _SUFFIXES.get(file.suffix.lower()) != "zip":
        return file
    unpacked = folder / "unpacked.csv"
    try:
        with _open(file) as stream, unpacked.open("wb") as target:
            shutil.copyfileobj(stream, target, 1 << 20)
    except _BROKEN as error:
        raise _cannot_unpack(file) from error
    return unpacked


def _cannot_unpack(file: Path) -> BadInput:
    return BadInput(
        f"{file.name} cannot be unpacked: it is incomplete or not a valid .gz or .zip file."
    )


def _open(file: Path) -> BinaryIO:
    """Return an open file, uncompressed if needed.

    Raises: BadInput for an archive that does not contain exactly one text file.
    """
    packed = _SUFFIXES.get(file.suffix.lower())
    if packed == "gzip":
        return cast(BinaryIO, gzip.open(file))
    if packed is None:
        return file.open("rb")
    archive = zipfile.ZipFile(file)
    names = [name for name in archive.namelist() if name.lower().endswith((".csv", ".txt"))]
    if len(names) != 1:
        raise BadInput(f"{file.name} must contain one .csv or .txt file; it contains {len(names)}.")
    return cast(BinaryIO, archive.open(names[0]))
