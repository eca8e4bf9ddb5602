"""Keeps spreadsheets from taking a text for a formula: such a text is led by an apostrophe.

It lies below all that writes CSV: the rulebook lists its findings without Django.
"""

from __future__ import annotations

import re

import polars as pl

_SIGNS = r"=+\-@"  # how formulas begin
_TEXT = re.compile(rf"[{_SIGNS}\t\r]")  # spreadsheets also skip what leads to one
_MARKED = re.compile(rf"[{_SIGNS}\t\r']")
_COLUMN = rf"\A[{_SIGNS}\t\r]"
_CELL = re.compile(rf"\s*[{_SIGNS}]")
_SOME_CELL = rf"(^|,)\s*[{_SIGNS}]"
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]*", re.ASCII)


def guarded(text: str) -> str:
    """Return a text so that no spreadsheet takes it for a formula."""
    return f"'{text}" if _TEXT.match(text) else text


def marked(text: str) -> str:
    """Return the same, so that `unmarked` gives back every text as it was."""
    return f"'{text}" if _MARKED.match(text) else text


def unmarked(text: str) -> str:
    """Return a text as it was before `marked`."""
    return text[1:] if text.startswith("'") and _MARKED.match(text, 1) else text


def guarded_column(name: str) -> pl.Expr:
    """Return a column of texts so that no spreadsheet takes one for a formula."""
    text = pl.col(name)
    return pl.when(text.str.contains(_COLUMN)).then(pl.lit("'") + text).otherwise(text).alias(name)


def guarded_line(line: str) -> str:
    """Return a line of cells without quotes, of which none is taken for a formula; numbers stay."""
    return ",".join(f"'{cell}" if _is_formula(cell) else cell for cell in line.split(","))


def guarded_lines(lines: pl.Series) -> pl.Series:
    """Return the same of many lines, at the price of those that need it."""
    risky = lines.str.contains(_SOME_CELL)
    if not risky.any():
        return lines
    return lines.scatter(risky.arg_true(), [guarded_line(line) for line in lines.filter(risky)])


def _is_formula(cell: str) -> bool:
    return bool(_CELL.match(cell)) and not _NUMBER.fullmatch(cell.strip())
