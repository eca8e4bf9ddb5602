"""The rules of every column: blanks, NA, Exempt, and cells that hold no value."""

from __future__ import annotations

import polars as pl

from filing.lar.fields import Field
from filing.spreadsheets.cells import Cell
from filing.spreadsheets.code_texts import EXEMPT_CODE
from filing.spreadsheets.field_lists import takes_blank, takes_na
from filing.spreadsheets.rules.steps import IS_NUMBER, KIND, VALUE, Doubt, Step

_NA = r"(?i)^(?:na|n/a|n\.a\.?|not applicable|#n/a)$"
_EXEMPT = r"(?i)^exempt$"
WORDS = r"(?i)^(?:na|n/a|n\.a\.?|not applicable|#n/a|exempt)$"
REGULAR = r'^(?:[^\s"\x00-\x1f\x7f|](?:[^"\x00-\x1f\x7f|]*[^\s"\x00-\x1f\x7f|])?)?$'
_INVISIBLE = '[\\x00-\\x1f\\x7f"\\x{feff}\\x{200b}]'
_LONG_NUMBER = r"^-?[0-9]{16,}"

BLANKS = Step(
    "blanks",
    VALUE.str.replace_all(r"\s*[\r\n]+\s*", " ").str.replace_all(_INVISIBLE, "").str.strip_chars(),
)
PIPE = Doubt(
    "pipe",
    VALUE.str.contains("|", literal=True),
    "The cell has a pipe (|), which separates the fields of the file; enter it without.",
)
FORMULA = Doubt(
    "formula",
    KIND.eq(int(Cell.FORMULA)) & VALUE.eq(""),
    "The cell has a formula without a stored value; open the file in a spreadsheet program and "
    "save it, or enter the value.",
)
DATE_CELL = Doubt(
    "date",
    KIND.eq(int(Cell.DATE)),
    "The cell is a date, which this field does not take; format the cell as text and enter the "
    "value.",
)
DIGITS_LOST = Doubt(
    "digits",
    IS_NUMBER & VALUE.str.contains(_LONG_NUMBER),
    "The cell is a number of more than 15 digits, of which a spreadsheet loses some; format the "
    "cell as text and enter the value.",
)
LINE_BREAK = Doubt(
    "blanks",
    VALUE.str.contains(r"[\r\n]"),
    "The cell has a line break; enter the value on one line.",
)


def error(field: Field) -> Doubt:
    """Return the doubt about a cell with an error of the spreadsheet."""
    is_na = VALUE == "NA" if takes_na(field) else pl.lit(False)
    return Doubt(
        "error",
        KIND.eq(int(Cell.ERROR)) & ~is_na,
        "The cell has an error of the spreadsheet; enter the value.",
    )


def words(field: Field) -> list[Step]:
    """Return the rules that write NA and Exempt as the column takes them."""
    steps = []
    if takes_na(field):
        steps.append(Step("na", pl.when(VALUE.str.contains(_NA)).then(pl.lit("NA"))))
    if field.exempt is not None:
        written = str(EXEMPT_CODE) if field.exempt == EXEMPT_CODE else "Exempt"
        steps.append(Step("exempt", pl.when(VALUE.str.contains(_EXEMPT)).then(pl.lit(written))))
    return steps


def fill(text: str) -> Step:
    """Return the rule that gives blank cells a value."""
    is_blank = VALUE.eq("") & KIND.le(int(Cell.TEXT))
    return Step("fill", pl.when(is_blank).then(pl.lit(text)), is_silent=True)


def blank_na(field: Field) -> list[Step]:
    """Return the rule that writes NA in blank cells of a column that takes NA, and not blank."""
    if not takes_na(field) or takes_blank(field):
        return []
    is_blank = VALUE.eq("") & KIND.le(int(Cell.TEXT))
    return [Step("blank-na", pl.when(is_blank).then(pl.lit("NA")))]
