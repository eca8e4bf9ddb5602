"""Check digits of a list of identifiers, or of one: a table of answers, and its text.

An invalid line is answered with the reason, and does not affect the others.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import partial

import polars as pl

from filing.errors import BadInput
from filing.files.line_files import Lines
from filing.lar.formulas import guard_column
from filing.lar.prefetch import map_in_parallel
from filing.lar.quoted_cells import unquote_lines
from uliapi import checkdigit
from uliapi.checkdigit import LOAN_ID_LENGTHS, ULI_LENGTHS

LOAN_ID_LENGTH = "Loan ID is not between 21 and 43 characters long"
LOAN_ID_CHARACTERS = "Loan ID is not alphanumeric"
ULI_LENGTH = "ULI is not between 23 and 45 characters long"
ULI_CHARACTERS = "ULI is not alphanumeric"
ERROR_COLUMN = "Error"  # in place of check digits

Answers = Callable[[pl.Series], pl.DataFrame]

_OTHER_CHARACTER = "[^0-9A-Za-z]"
_NEEDS_QUOTES = '[,"\r]'


def generate_listed(loan_ids: pl.Series) -> pl.DataFrame:
    """Return `loanId`, `checkDigit` and `uli` of each line; `Error` and the reason if invalid.

    If both length and characters are wrong, the reason is the length.
    """
    loan_id, digits = pl.col("loanId"), pl.col("checkDigit")
    reason = pl.when(_has_length(loan_id, LOAN_ID_LENGTHS)).then(pl.lit(LOAN_ID_CHARACTERS))
    return pl.DataFrame(
        {"loanId": loan_ids, "checkDigit": checkdigit.generate_check_digits(loan_ids)}
    ).select(
        "loanId",
        digits.fill_null(ERROR_COLUMN),
        # Without check digits, the reason takes the place of the ULI.
        uli=(loan_id + digits).fill_null(reason.otherwise(pl.lit(LOAN_ID_LENGTH))),
    )


def validate_listed(ulis: pl.Series) -> pl.DataFrame:
    """Return `uli` and `isValid` of each line: `true`, `false`, or why it cannot be a ULI.

    If both characters and length are wrong, the reason is the characters.
    """
    uli = pl.col("uli")
    return pl.DataFrame({"uli": ulis, "valid": checkdigit.validate_ulis(ulis)}).select(
        "uli",
        isValid=pl.when("valid")
        .then(pl.lit("true"))
        .when(uli.str.contains(_OTHER_CHARACTER))
        .then(pl.lit(ULI_CHARACTERS))
        .when(_has_length(uli, ULI_LENGTHS))
        .then(pl.lit("false"))
        .otherwise(pl.lit(ULI_LENGTH)),
    )


def stream_answers_csv(
    answers: Answers, lines: Lines, *, for_spreadsheet: bool = False
) -> Iterator[bytes]:
    """Yield a table of answers as CSV, with its header. A line may be in quotes.

    for_spreadsheet: put an apostrophe before cells that a spreadsheet would read as formulas.
    """
    columns = answers(pl.Series(dtype=pl.String)).columns
    yield f"{','.join(columns)}\n".encode()

    def rows(chunk: pl.Series) -> bytes:
        table = answers(unquote_lines(chunk))
        if for_spreadsheet:
            table = table.with_columns(guard_column(table.columns[0]))
        return _csv_rows(table)

    yield from map_in_parallel(rows, lines)


def stream_answers_json(answers: Answers, lines: Lines, *, name: str) -> Iterator[bytes]:
    """Yield a table of answers as a JSON object with one list, named `name`."""
    yield f'{{"{name}":['.encode()
    separator = ""
    for rows in map_in_parallel(partial(_json_rows, answers), lines):
        yield f"{separator}{rows}".encode()
        separator = ","
    yield b"]}"


def _json_rows(answers: Answers, chunk: pl.Series) -> str:
    row = pl.struct(pl.all()).struct.json_encode()
    rows: str = answers(unquote_lines(chunk)).select(row.str.join(",")).item()
    return rows


def _has_length(text: pl.Expr, lengths: range) -> pl.Expr:
    return text.str.len_chars().is_between(lengths[0], lengths[-1])


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


def generate_single(loan_id: str) -> dict[str, str]:
    """Return a loan identifier with its check digits and its ULI.

    Raises: BadInput with the reason why it is invalid.
    """
    answer = generate_listed(pl.Series([loan_id])).row(0, named=True)
    if answer["checkDigit"] == ERROR_COLUMN:
        raise BadInput(answer["uli"])
    return answer


def validate_single(uli: str) -> bool:
    """Return whether a ULI ends in its check digits.

    Raises: BadInput with the reason why it cannot be a ULI.
    """
    answer = validate_listed(pl.Series([uli])).row(0, named=True)["isValid"]
    if answer not in {"true", "false"}:
        raise BadInput(answer)
    return answer == "true"
