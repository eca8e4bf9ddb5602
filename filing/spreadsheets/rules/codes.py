"""The rules of coded columns: a code for its text, and none for yes and no."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from filing.spreadsheets.headers import fold
from filing.spreadsheets.rules.steps import VALUE, Doubt, Step, folded

_NUMBER = r"^([0-9]+)\.0+$"
_LED = r"^([0-9]+)\s*[-\x{2013}\x{2014}:=.)]+\s*(\D.*)$"
_YES_OR_NO = r"(?i)^(?:yes|no|y|n|true|false)$"


def steps(codes: Mapping[int, str]) -> list[Step]:
    """Return the rules of a column with these codes and their texts."""
    by_text = {fold(text): str(code) for code, text in codes.items()}
    text = folded(VALUE).replace_strict(by_text, default=None, return_dtype=pl.String)
    return [
        Step("code", VALUE.str.extract(_NUMBER)),
        Step("code", pl.when(_is_known(codes) & ~_is_of_another(codes)).then(_led_code())),
        Step("code", text),
    ]


def doubts(codes: Mapping[int, str]) -> list[Doubt]:
    """Return the doubts about a column with these codes."""
    accepted = ", ".join(map(str, codes))
    return [
        Doubt(
            "code",
            VALUE.str.contains(_YES_OR_NO),
            f"The codes of this field are not yes and no; enter one of {accepted}.",
        ),
        Doubt(
            "code",
            _is_known(codes) & _is_of_another(codes),
            f"The text belongs to another code; enter one of {accepted}.",
        ),
    ]


def _led_code() -> pl.Expr:
    return VALUE.str.extract(_LED, 1)


def _is_known(codes: Mapping[int, str]) -> pl.Expr:
    return _led_code().is_in([str(code) for code in codes]).fill_null(False)


def _is_of_another(codes: Mapping[int, str]) -> pl.Expr:
    """Return whether the text after a code is not of this code, but begins one of another."""
    texts = {str(code): fold(text) for code, text in codes.items()}
    after = folded(VALUE.str.extract(_LED, 2))
    own = _led_code().replace_strict(texts, default="", return_dtype=pl.String)
    begins = [pl.lit(text).str.starts_with(after) for text in texts.values()]
    is_own = own.str.contains(after, literal=True)
    return (pl.any_horizontal(begins) & ~is_own & (after != "")).fill_null(False)
