"""Guards texts against spreadsheets that would run them as formulas: an apostrophe leads them.

Everything that writes CSV uses it, also the rulebook, which knows no Django.
"""

from __future__ import annotations

import re
from typing import Any

import polars as pl

_SIGNS = r"=+\-@"  # how formulas begin
_TEXT = re.compile(rf"[{_SIGNS}\t\r]")  # spreadsheets also skip what leads to one
_MARKED = re.compile(rf"[{_SIGNS}\t\r']")
_COLUMN = rf"\A[{_SIGNS}\t\r]"
_BLANKS = r"[\s\x1c-\x1f]*"  # Polars' \s lacks the four separators, Python's has them
# Quotes around a cell hide a formula only from those who do not take them off.
_CELL = re.compile(rf'({_BLANKS}"?)({_BLANKS}[{_SIGNS}])')
# A tab at the beginning of a cell is a blank in it.
_SOME_CELL = rf'(^|[,;]|[^,;\t]\t){_BLANKS}"?{_BLANKS}[{_SIGNS}]'
_SEPARATOR = re.compile(r"([,;]|(?<=[^,;\t])\t)")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]*", re.ASCII)


def guard_formula(text: str) -> str:
    """Return the text, led by an apostrophe if a spreadsheet would take it for a formula."""
    return f"'{text}" if _TEXT.match(text) else text


def guard_value(value: Any) -> Any:
    """Return a value of a cell; a text as by `guard_formula`."""
    return guard_formula(value) if isinstance(value, str) else value


def mark_formula(text: str) -> str:
    """Return the same, but reversible: `unmark_formula` returns the original text."""
    return f"'{text}" if _MARKED.match(text) else text


def unmark_formula(text: str) -> str:
    """Return the text that `mark_formula` received."""
    return text[1:] if text.startswith("'") and _MARKED.match(text, 1) else text


def guard_column(name: str) -> pl.Expr:
    """Return a column of texts, each guarded as by `guard_formula`."""
    text = pl.col(name)
    return pl.when(text.str.contains(_COLUMN)).then(pl.lit("'") + text).otherwise(text).alias(name)


def guard_line(line: str) -> str:
    """Return a line of cells, each guarded unless it is a number. Cells may be in quotes."""
    return "".join(map(_guard_cell, _SEPARATOR.split(line)))


def guard_lines(lines: pl.Series) -> pl.Series:
    """Return many such lines guarded; only those with a risky cell cost time."""
    risky = lines.str.contains(_SOME_CELL)
    if not risky.any():
        return lines
    return lines.scatter(risky.arg_true(), [guard_line(line) for line in lines.filter(risky)])


def _guard_cell(cell: str) -> str:
    formula = _CELL.match(cell)
    if formula is None or _NUMBER.fullmatch(cell.strip(' "')):
        return cell
    quote = formula[1] if '"' in formula[1] else ""
    return f"{quote}'{cell[len(quote) :]}"
