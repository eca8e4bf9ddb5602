"""Reads published files of public loan records: their header, and their records as Parquet.

The columns may be in any order, with names spelled as in the national files or as in downloads of
the data browser; without a header they are in the official order.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

import polars as pl

from databrowser.publication import scratch_database
from databrowser.publication.columns import PUBLIC, SCHEMA
from databrowser.publication.imports import public_values
from databrowser.publication.imports.public_values import WrongValue
from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.record_files import sink_records
from filing.errors import BadInput
from filing.lar.official_kinds import OfficialKind
from filing.lar.years import RULEBOOKS
from filing.reference import official_files
from filing.reference.official_files import BROKEN_ARCHIVE, LONGEST_FIRST_LINE

# Names in published files that differ from ours and from the data browser's.
_ALSO = {
    "loan_to_value_ratio": "combined_loan_to_value_ratio",
    "interest_only_payments": "interest_only_payment",
    "other_non_amortizing_features": "other_nonamortizing_features",
    "applicant_credit_scoring_model": "applicant_credit_score_type",
    "co_applicant_credit_scoring_model": "co_applicant_credit_score_type",
}
# Invalid numbers become null, which the checks find.
_NUMBERS = {
    name: pl.col(name).str.strip_chars().cast(pl.Float64, strict=False).cast(dtype, strict=False)
    for name, dtype in SCHEMA.items()
    if dtype != pl.String
}
# By column: whether a value is valid, and the values accepted.
_CHECKS = {
    "activity_year": (pl.col("activity_year") >= RULEBOOKS[0], f"a year from {RULEBOOKS[0]} on"),
    "loan_amount": (
        (pl.col("loan_amount") >= 0) & pl.col("loan_amount").is_finite(),
        "an amount in dollars, such as 205000.0",
    ),
}
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CELLS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")

# Called with the number of records that have been read.
Progress = Callable[[int], None]


@dataclass(frozen=True)
class FileHeader:
    """How a file begins. separator: a comma, a pipe or another. columns: our names, in its order.

    lines: of the header, 1 or 0. line_end: CR alone, or blank for all others.
    """

    separator: str
    columns: tuple[str, ...]
    lines: int = 1
    line_end: str = ""


def read_header(file: Path) -> FileHeader:
    """Return the header of a file.

    Raises: BadInput when it is not the header of a file of public loan records.
    """
    beginning = read_bytes(file, LONGEST_FIRST_LINE)
    try:
        first = official_files.read_first_line(beginning)
    except UnicodeDecodeError as error:
        raise BadInput(f"The first line of {file.name} is not UTF-8 text.") from error
    line_end = first.line_end if first.line_end == "\r" else ""
    kind = official_files.recognize_file(beginning)
    columns = tuple(_ALSO.get(name, name) for name in first.headings)
    if kind is OfficialKind.PUBLIC_LAR and columns[0].isdecimal():
        return FileHeader(first.separator, tuple(SCHEMA), 0, line_end)
    if other := official_files.describe_other_kind(beginning, OfficialKind.PUBLIC_LAR):
        raise BadInput(f"{file.name} is {other}, not {OfficialKind.PUBLIC_LAR}.")
    _require_all(file, columns)
    return FileHeader(first.separator, columns, 1, line_end)


def read_bytes(file: Path, most: int) -> bytes:
    """Return the first bytes of a file, unpacked if it is an archive.

    Raises: BadInput for an archive that cannot be read, or has not exactly one text file; OSError.
    """
    try:
        with open_text(file) as stream:
            return stream.read(most)
    except BROKEN_ARCHIVE as error:
        raise _cannot_unpack(file) from error


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
    file: Path, target: Path, *, folder: Path, progress: Progress | None = None
) -> dict[str, dict[str, str]]:
    """Write the records of a file in order, with the columns of `SCHEMA`; return what was restored.

    folder: for an unpacked copy. progress: called with the number of records read. Values stay as
    they are, but for lost zeros: by column, the right value by the one in the file.

    Raises: BadInput, naming line and column of the first errors.
    """
    head, text = read_header(file), _unpacked(file, folder)
    records = _scan(text, head)
    typed = records.select(_NUMBERS.get(name, pl.col(name)) for name in SCHEMA)
    if progress:
        typed = typed.map_batches(_count_to(progress), streamable=True, schema=SCHEMA)
    try:
        sink_records(typed, target)
    except (pl.exceptions.PolarsError, OSError) as error:
        _refuse_lines(file, text, head, folder)
        raise BadInput(f"{file.name} cannot be read: {error}. Nothing was loaded.") from error
    written = pl.scan_parquet(target)
    # The reader takes a cell that is missing at the end of a line for a blank one.
    last = pl.col(head.columns[-1])
    if written.select((last.is_null() | (last.cast(pl.String) == "")).any()).collect().item():
        _refuse_lines(file, text, head, folder)
    for name, (is_valid, takes) in _CHECKS.items():
        rows = written.select(pl.arg_where(~is_valid.fill_null(False))).head(1).collect()
        for (row,) in rows.iter_rows():
            value = records.select(name).slice(row, 1).collect().item()
            _refuse_values(file, head, [WrongValue(name, row, value, takes)])
    years = written.select(pl.col("activity_year").unique()).collect().to_series()
    report = public_values.restore_values(target, years.to_list())
    if report.wrong:
        _refuse_values(file, head, report.wrong)
    return report.restored


def _scan(text: Path, head: FileHeader) -> pl.LazyFrame:
    """Return the records of a file as texts, without blank lines."""
    return pl.scan_csv(
        text,
        schema=dict.fromkeys(head.columns, pl.String),
        separator=head.separator,
        has_header=False,
        skip_lines=head.lines,
        eol_char=head.line_end or "\n",
        empty_string_is_null=False,
        glob=False,
    ).filter(pl.any_horizontal(pl.all() != ""))


def _count_to(progress: Progress) -> Callable[[pl.DataFrame], pl.DataFrame]:
    read = 0

    def count(records: pl.DataFrame) -> pl.DataFrame:
        nonlocal read
        progress(read := read + records.height)
        return records

    return count


def _refuse_lines(file: Path, text: Path, head: FileHeader, folder: Path) -> None:
    """Read a file again with a slower reader, which names the first line that is wrong."""
    try:
        with scratch_database.connect_scratch(folder) as database:
            database.execute(f"SELECT count(COLUMNS(*)) FROM {_source(text, head)}")
    except duckdb.Error as error:
        _explain(file, error)


def _source(text: Path, head: FileHeader) -> str:
    columns = ", ".join(f"{scratch_database.quote(name)}: 'VARCHAR'" for name in head.columns)
    line_end = "new_line = '\\r', " if head.line_end else ""
    compression = "gzip" if text.suffix.lower() == ".gz" else "none"
    return (
        f"read_csv({scratch_database.quote(text)}, auto_detect = false, "
        f"header = {'true' if head.lines else 'false'}, {line_end}"
        f"delim = {scratch_database.quote(head.separator)}, quote = '\"', escape = '\"', "
        f"compression = '{compression}', columns = {{{columns}}})"
    )


def _explain(file: Path, error: duckdb.Error) -> NoReturn:
    """Raise an error of the slower reader as a message for users; raise other errors unchanged."""
    line, cells = _LINE.search(str(error)), _CELLS.search(str(error))
    if line is None:
        if isinstance(error, duckdb.IOException) and file.suffix.lower() == ".gz":
            raise _cannot_unpack(file) from error
        raise error
    if cells:
        problem = f"has {cells[2]} values, but the first line names {cells[1]} columns"
    elif "unicode" in str(error):
        problem = "is not UTF-8 text"
    else:
        problem = "has a quotation mark that is not closed"
    raise BadInput(f"Line {line[1]} of {file.name} {problem}. Nothing was loaded.") from error


def _refuse_values(file: Path, head: FileHeader, wrong: list[WrongValue]) -> NoReturn:
    faults = "\n".join(
        f"{each.column} on line {each.row + 1 + head.lines:,} of {file.name} is "
        f"{each.value[:60]!r}; enter {each.takes}."
        for each in wrong
    )
    raise BadInput(f"{faults} Nothing was loaded.")


def _unpacked(file: Path, folder: Path) -> Path:
    """Return a file that the reader accepts: one in a zip archive is unpacked first."""
    if file.suffix.lower() == ".gz" or not official_files.is_archive(read_magic(file)):
        return file
    unpacked = folder / "unpacked.csv"
    try:
        with open_text(file) as stream, unpacked.open("wb") as target:
            shutil.copyfileobj(stream, target, 1 << 20)
    except BROKEN_ARCHIVE as error:
        raise _cannot_unpack(file) from error
    return unpacked


def read_magic(file: Path) -> bytes:
    """Return the first bytes of a file, which say whether it is an archive."""
    with file.open("rb") as stream:
        return stream.read(4)


def _cannot_unpack(file: Path) -> BadInput:
    return BadInput(
        f"{file.name} cannot be unpacked: it is incomplete or not a valid .gz or .zip file."
    )


def open_text(file: Path) -> IO[bytes]:
    """Return an open file, unpacked if it is an archive.

    Raises: BadInput for an archive that does not contain exactly one text file.
    """
    try:
        return official_files.open_text(file)
    except ValueError as error:
        raise BadInput(f"{file.name} {error}.") from error
