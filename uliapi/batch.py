"""Check digits for a list of identifiers: a table of answers for its lines, and its text.

An invalid line is answered with the reason, and does not affect the others.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import partial

import polars as pl

from filing.files.line_files import Lines
from filing.lar.formulas import guarded_column
from filing.lar.prefetch import in_parallel
from uliapi import checkdigit
from uliapi.checkdigit import LOAN_ID_LENGTHS, ULI_LENGTHS

LOAN_ID_LENGTH = "Loan ID is not between 21 and 43 characters long"
LOAN_ID_CHARACTERS = "Loan ID is not alphanumeric"
ULI_LENGTH = "ULI is not between 23 and 45 characters long"
ULI_CHARACTERS = "ULI is not alphanumeric"
ERROR = "Error"  # in place of check digits

Answers = Callable[[pl.Series], pl.DataFrame]

_OTHER_CHARACTER = "[^0-9A-Za-z]"
_NEEDS_QUOTES = '[,"\r]'


def generated(loan_ids: pl.Series) -> pl.DataFrame:
    """Return `loanId`, `checkDigit` and `uli` of each line; `Error` and the reason if invalid.

    If both length and characters are wrong, the reason is the length.
    """
    loan_id, digits = pl.col("loanId"), pl.col("checkDigit")
    reason = pl.when(_has_length(loan_id, LOAN_ID_LENGTHS)).then(pl.lit(LOAN_ID_CHARACTERS))
    return pl.DataFrame({"loanId": loan_ids, "checkDigit": checkdigit.generate(loan_ids)}).select(
        "loanId",
        digits.fill_null(ERROR),
        # Without check digits, the reason takes the place of the ULI.
        uli=(loan_id + digits).fill_null(reason.otherwise(pl.lit(LOAN_ID_LENGTH))),
    )


def validated(ulis: pl.Series) -> pl.DataFrame:
    """Return `uli` and `isValid` of each line: `true`, `false`, or why it cannot be a ULI.

    If both characters and length are wrong, the reason is the characters.
    """
    uli = pl.col("uli")
    return pl.DataFrame({"uli": ulis, "valid": checkdigit.valid(ulis)}).select(
        "uli",
        isValid=pl.when("valid")
        .then(pl.lit("true"))
        .when(uli.str.contains(_OTHER_CHARACTER))
        .then(pl.lit(ULI_CHARACTERS))
        .when(_has_length(uli, ULI_LENGTHS))
        .then(pl.lit("false"))
        .otherwise(pl.lit(ULI_LENGTH)),
    )


def csv(answers: Answers, lines: Lines, *, for_spreadsheet: bool = False) -> Iterator[bytes]:
    """Yield a table of answers as CSV, with its header.

    for_spreadsheet: put an apostrophe before cells that a spreadsheet would read as formulas.
    """
    yield _csv_line(answers(pl.Series(dtype=pl.String)).columns)

    def rows(chunk: pl.Series) -> bytes:
        table = answers(chunk)
        if for_spreadsheet:
            table = table.with_columns(guarded_column(table.columns[0]))
        return _csv_rows(table)

    yield from in_parallel(rows, lines)


def json(answers: Answers, lines: Lines, *, name: str) -> Iterator[bytes]:
    """Yield a table of answers as a JSON object with one list, named `name`."""
    yield f'{{"{name}":['.encode()
    separator = ""
    for rows in in_parallel(partial(_json_rows, answers), lines):
        yield f"{separator}{rows}".encode()
        separator = ","
    yield b"]}"


def _json_rows(answers: Answers, chunk: pl.Series) -> str:
    row = pl.struct(pl.all()).struct.json_encode()
    rows: str = answers(chunk).select(row.str.join(",")).item()
    return rows


def _has_length(text: pl.Expr, lengths: range) -> pl.Expr:
    return text.str.len_chars().is_between(lengths[0], lengths[-1])


def _csv_line(cells: list[str]) -> bytes:
    return f"{','.join(cells)}\n".encode()


def _csv_rows(table: pl.DataFrame) -> bytes:
    """Return rows of CSV, in which only the column of lines may need quotes."""
    line = pl.col(table.columns[0])
    if table.select(line.str.contains(_NEEDS_QUOTES).any()).item():
        quoted = pl.lit('"') + line.str.replace_all('"', '""', literal=True) + pl.lit('"')
        needed = line.str.contains(_NEEDS_QUOTES)
        cells = pl.when(needed).then(quoted).otherwise(line)
        table = table.with_columns(cells.alias(table.columns[0]))
    # The quoting of the CSV writer would also quote blanks.
    rows = io.BytesIO()
    table.write_csv(rows, include_header=False, quote_style="never")
    return rows.getvalue()
