"""Writes CSV for spreadsheet programs: UTF-8 with a mark, and no text that they would run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import polars as pl

from filing.lar.blocks import BOM

_FORMULA = r"^'*[=+\-@]"
_NUMBER = r"^-[0-9]*\.?[0-9]+$"


def header_line(headers: Sequence[str]) -> bytes:
    """Return the mark and the header row."""
    frame = pl.DataFrame(
        [list(headers)], schema=[str(at) for at in range(len(headers))], orient="row"
    )
    return BOM + frame.write_csv(include_header=False).encode()


def write_rows(file: BinaryIO, frame: pl.DataFrame) -> None:
    """Write rows of text; an apostrophe leads formulas, and reading takes it off again."""
    frame.select(_marked(name) for name in frame.columns).write_csv(file, include_header=False)


def _marked(name: str) -> pl.Expr:
    text = pl.col(name)
    is_formula = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    return pl.when(is_formula).then(pl.lit("'") + text).otherwise(text).alias(name)
