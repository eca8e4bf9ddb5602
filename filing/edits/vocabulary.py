"""The words in which edits are written.

Each word answers true or false on every row, also for NA, Exempt, a blank and nonsense; so any
sentence made of them by `&`, `|`, `~` and the words below does. Words take names of columns. What
is costly to compute stands in a derived column named `<field>#<what>`, which `facts` fills once
per block for the edits that ask for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

import polars as pl

from filing.lar.fields import LAR_BY_NAME, STATES, TS_BY_NAME, Parse

# Enough for every amount and ratio that makes sense; `facts` says what becomes of the others.
DECIMAL = pl.Decimal(38, 16)
EXEMPT_CODE = 1111

_FIELDS = {**TS_BY_NAME, **LAR_BY_NAME}


@dataclass(frozen=True, eq=False)
class Number:
    """The numeric value of a column: every comparison with a value that is no number is false.

    Only `!=` is true then, being the opposite of `==`. All comparisons are exact. Decimals mix with
    whole numbers and with literals; a literal such as 6.5 means exactly what is written.
    """

    expr: pl.Expr
    is_decimal: bool

    def __gt__(self, other: Operand) -> pl.Expr:
        mine, its, _ = self._alike(other)
        return (mine > its).fill_null(value=False)

    def __ge__(self, other: Operand) -> pl.Expr:
        mine, its, _ = self._alike(other)
        return (mine >= its).fill_null(value=False)

    def __lt__(self, other: Operand) -> pl.Expr:
        mine, its, _ = self._alike(other)
        return (mine < its).fill_null(value=False)

    def __le__(self, other: Operand) -> pl.Expr:
        mine, its, _ = self._alike(other)
        return (mine <= its).fill_null(value=False)

    def __eq__(self, other: Operand) -> pl.Expr:  # type: ignore[override]
        mine, its, _ = self._alike(other)
        return (mine == its).fill_null(value=False)

    def __ne__(self, other: Operand) -> pl.Expr:  # type: ignore[override]
        return ~(self == other)

    def __sub__(self, other: Operand) -> Number:
        mine, its, is_decimal = self._alike(other)
        return Number(mine - its, is_decimal)

    def _alike(self, other: Operand) -> tuple[pl.Expr, pl.Expr, bool]:
        """Return both sides in one type: whole numbers as they are, or decimals."""
        if isinstance(other, int):
            return self.expr, pl.lit(other), self.is_decimal
        if not isinstance(other, Number):
            return _decimal(self), pl.lit(Decimal(repr(other)), dtype=DECIMAL), True
        if self.is_decimal or other.is_decimal:
            return _decimal(self), _decimal(other), True
        return self.expr, other.expr, False


Operand = Number | int | float


def _decimal(value: Number) -> pl.Expr:
    return value.expr if value.is_decimal else value.expr.cast(DECIMAL)


def value(column: str) -> pl.Expr:
    """Return the column as it is, to be compared by `==` and `!=` with text, a code or a column."""
    return pl.col(column)


def one_of(field: str, *values: str | int) -> pl.Expr:
    """Hold where the value is one of these; text compares with regard to case."""
    return pl.col(field) == values[0] if len(values) == 1 else pl.col(field).is_in(values)


def blank(field: str) -> pl.Expr:
    """Hold where nothing was filed; in a coded column that is stored as 0."""
    return pl.col(field) == (0 if _is_integer(field) else "")


def if_then(condition: pl.Expr, consequence: pl.Expr) -> pl.Expr:
    """Hold where the condition does not, or where both do."""
    return ~condition | consequence


def iff(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """Hold where both hold and where neither does."""
    return one == other


def any_of(*conditions: pl.Expr) -> pl.Expr:
    """Hold where at least one of the conditions does."""
    return pl.any_horizontal(*conditions)


def num(field: str) -> Number:
    """Return the value of the field as a number; a date counts as the number YYYYMMDD."""
    if _is_integer(field):
        return Number(pl.col(field), is_decimal=False)
    if _FIELDS[field].parse is Parse.DATE_OR_NA:
        return Number(pl.col(f"{field}#date"), is_decimal=False)
    return Number(pl.col(f"{field}#number"), is_decimal=True)


def number(field: str) -> pl.Expr:
    """Hold where the field reads as a decimal number: not for NA, Exempt and a blank."""
    return num(field).expr.is_not_null()


def valid_date(field: str) -> pl.Expr:
    """Hold where the field is a day of the calendar written YYYYMMDD."""
    return pl.col(f"{field}#date").is_not_null()


def year_of(date: str) -> pl.Expr:
    """Return the year of a column that is a date in any case."""
    return pl.col(date) // 10_000


def length(field: str) -> pl.Expr:
    """Return the number of characters of a text."""
    return pl.col(field).str.len_chars().cast(pl.Int32)


def first(field: str, characters: int) -> pl.Expr:
    """Return the first characters of a text, all of it where it is shorter."""
    return pl.col(field).str.slice(0, characters)


def lower(column: str) -> pl.Expr:
    """Return the text in lower case."""
    return pl.col(column).str.to_lowercase()


def upper(column: str) -> pl.Expr:
    """Return the text in upper case."""
    return pl.col(column).str.to_uppercase()


def matches(field: str, pattern: str) -> pl.Expr:
    r"""Hold where the whole text matches; `\d` and `\w` mean ASCII."""
    return pl.col(field).str.contains(rf"\A(?-u:{pattern})\z")


def in_any_case(field: str, *words: str) -> pl.Expr:
    """Hold where the text is one of some short words, however its letters are cased."""
    # To look all spellings up is ten times faster than to change the case of every value.
    return pl.col(field).is_in(sorted({text for word in words for text in _spellings(word)}))


def postal_state(field: str) -> pl.Expr:
    """Hold where the text is the postal abbreviation of a state, of DC or of a territory."""
    return one_of(field, *STATES)


def fips_of(state: str) -> pl.Expr:
    """Return the two-digit code of a state given by its postal abbreviation, or a blank."""
    return pl.col(state).replace_strict(STATES, default="", return_dtype=pl.String)


def known_tract(field: str) -> pl.Expr:
    """Hold where the text is the 11-digit code of a tract in the census of the year."""
    return pl.col(f"{field}#known_tract")


def known_county(field: str) -> pl.Expr:
    """Hold where the text is the 5-digit code of a county in the census of the year."""
    return pl.col(f"{field}#known_county")


def small_county(field: str) -> pl.Expr:
    """Hold where the text is the code of a county of 30,000 inhabitants or fewer."""
    return pl.col(f"{field}#small_county")


def right_check_digits(field: str) -> pl.Expr:
    """Hold where the text is a ULI whose last two characters are its check digits."""
    return pl.col(f"{field}#check_digits")


def exemption_taken() -> pl.Expr:
    """Hold where some column says that the partial exemption was used.

    Source: quality edit Q646; state, loan identifier, credit scores, county and tract do not count.
    """
    not_counted = {"applicant_credit_score", "co_applicant_credit_score"}
    marked = [f for f in LAR_BY_NAME.values() if f.exempt is not None and f.name not in not_counted]
    codes = [f.name for f in marked if f.exempt == EXEMPT_CODE]
    # Only free text can hold the word in another spelling: no other column would have been parsed.
    words = [f.name for f in marked if f.exempt == "Exempt" and f.parse is not Parse.TEXT]
    texts = [f.name for f in marked if f.exempt == "Exempt" and f.parse is Parse.TEXT]
    return any_of(
        *(pl.col(name) == EXEMPT_CODE for name in codes),
        *(pl.col(name) == word for name in words for word in ("Exempt", str(EXEMPT_CODE))),
        *(in_any_case(name, "Exempt", str(EXEMPT_CODE)) for name in texts),
    )


def figure(name: str) -> pl.Expr:
    """Return a figure of the file."""
    return pl.col(name)


def _spellings(word: str) -> Iterator[str]:
    return map("".join, product(*zip(word.lower(), word.upper(), strict=True)))


def _is_integer(field: str) -> bool:
    return _FIELDS[field].dtype == pl.Int32
