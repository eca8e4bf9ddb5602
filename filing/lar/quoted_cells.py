"""Cells in quotes, as RFC 4180 has them: around a whole cell, and doubled inside."""

from __future__ import annotations

import polars as pl

_QUOTED = '"(?:[^"]|"")*"'


def unquote_lines(lines: pl.Series) -> pl.Series:
    """Return lines; one that is a single cell in quotes is the text of the cell, trimmed."""
    is_quoted = lines.str.contains(f"^{_QUOTED}$")
    if not is_quoted.any():
        return lines
    return lines.zip_with(~is_quoted, _without_quotes(lines))


def _without_quotes(quoted: pl.Series) -> pl.Series:
    inner = quoted.str.slice(1, quoted.str.len_chars().clip(2) - 2)
    return inner.str.replace_all('""', '"', literal=True).str.strip_chars()


def split_quoted(lines: pl.Series, separator: str) -> pl.Series:
    """Return the trimmed cells of lines, as a list for each.

    Quotes that are not around a whole cell are plain characters.
    """
    plain = f'[^"{separator}]*'
    simple = rf'(?:\s*"{plain}"\s*|{plain})'
    has_simple_quotes = lines.str.contains(rf"^{simple}(?:{separator}{simple})*$")
    unquoted = lines.str.replace_all('"', "", literal=True).zip_with(has_simple_quotes, lines)
    cells = unquoted.str.split(separator)
    if not has_simple_quotes.all():
        led = separator + lines
        found = led.str.extract_all(rf"{separator}(?:\s*{_QUOTED}\s*|[^{separator}]*)")
        # A cell with something after its closing quote would lose it.
        is_other = ~has_simple_quotes & (found.list.join("") == led)
        cells = found.list.eval(_cell_value(pl.element())).zip_with(is_other, cells)
    if not lines.str.contains(r"\s").any():
        return cells
    return cells.list.eval(pl.element().str.strip_chars())


def _cell_value(cell: pl.Expr) -> pl.Expr:
    """Return the value of a cell that is led by its separator."""
    text = cell.str.slice(1).str.strip_chars()
    inner = text.str.slice(1, text.str.len_chars().clip(2) - 2)
    is_quoted = text.str.contains(f"^{_QUOTED}$")
    unquoted = inner.str.replace_all('""', '"', literal=True)
    return pl.when(is_quoted).then(unquoted).otherwise(text)
