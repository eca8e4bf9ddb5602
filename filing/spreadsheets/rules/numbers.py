"""The rules of numbers: without signs of money, groups of digits, parentheses and percent."""

from __future__ import annotations

import polars as pl

from filing.spreadsheets.rules.steps import VALUE, Step

RATES = (
    "rate_spread",
    "interest_rate",
    "debt_to_income_ratio",
    "combined_loan_to_value_ratio",
)
_GROUPS = r"[0-9]{1,3}(?:[, \x{a0}\x{202f}][0-9]{3})+"
_WHOLE = rf"({_GROUPS}|[0-9]+)"
_FORM = rf"^([-(]?)\s*(-?)\s*\$?\s*(-?)\s*{_WHOLE}?((?:\.[0-9]*)?)\s*(\)?)$"
_PERCENT = r"^(-?[0-9]*\.?[0-9]+)\s*%$"


def steps(*, is_whole: bool, is_rate: bool) -> list[Step]:
    """Return the rules of a column of numbers."""
    number = _plain(VALUE)
    if is_whole:
        number = number.str.replace(r"\.0*$", "")
    found = [Step("number", number)]
    if is_rate:
        found.insert(0, Step("number", VALUE.str.extract(_PERCENT)))
    return found


def _plain(value: pl.Expr) -> pl.Expr:
    """Return the number without its ornaments; null for what has another form."""
    first, second, third = (value.str.extract(_FORM, group) for group in (1, 2, 3))
    whole = value.str.extract(_FORM, 4).str.replace_all(r"[^0-9]", "").fill_null("")
    fraction, last = value.str.extract(_FORM, 5), value.str.extract(_FORM, 6)
    signs = (first != "").cast(pl.Int8) + (second != "").cast(pl.Int8) + (third != "").cast(pl.Int8)
    is_closed = (first == "(") == (last == ")")
    has_digits = (whole != "") | (fraction.str.len_bytes() > 1)
    text = pl.concat_str(
        pl.when(signs == 1).then(pl.lit("-")).otherwise(pl.lit("")),
        pl.when(whole == "").then(pl.lit("0")).otherwise(whole),
        fraction.str.replace(r"^\.$", ""),
    )
    # A number that has no ornament stays as it is, also `.5` and `5.`, which the parser reads.
    is_plain = value.str.contains(r"^-?[0-9]*\.?[0-9]*$")
    return pl.when(is_closed & has_digits & (signs <= 1)).then(
        pl.when(is_plain).then(value).otherwise(text)
    )


def hundredfold(text: pl.Expr) -> pl.Expr:
    """Return numbers times 100, exactly, without zeros at the end."""
    number = text.cast(pl.Decimal(38, 20), strict=False) * pl.lit(100).cast(pl.Decimal(38, 0))
    plain = number.cast(pl.String)
    has_point = plain.str.contains(".", literal=True)
    return pl.when(has_point).then(plain.str.replace(r"\.?0+$", "")).otherwise(plain)
