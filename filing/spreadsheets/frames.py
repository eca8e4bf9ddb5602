"""Frames of texts and of kinds of cells, from rows that come in pieces."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from filing.spreadsheets.blobs import SEPARATOR, Piece
from filing.spreadsheets.cells import Cell

_BLANK = bytes([Cell.BLANK])


def frames(pieces: Iterable[Piece]) -> tuple[pl.Series, pl.DataFrame, pl.DataFrame]:
    """Return the numbers of the rows, their texts and their kinds; wholly blank rows are left out.

    Shape: a column `0`, `1`, … for each column; no nulls.
    """
    numbers: list[pl.Series] = []
    texts: list[pl.DataFrame] = []
    kinds: list[pl.DataFrame] = []
    for piece in pieces:
        numbers.append(pl.Series("row", piece.rows, pl.UInt32))
        joined = pl.DataFrame({str(at): [text] for at, text in enumerate(piece.texts)})
        texts.append(joined.select(pl.all().str.split(SEPARATOR).explode()))
        kinds.append(
            pl.DataFrame(
                {
                    str(at): pl.Series(np.frombuffer(kind, np.uint8))
                    for at, kind in enumerate(piece.kinds)
                }
            )
        )
    if not numbers:
        return pl.Series("row", [], pl.UInt32), pl.DataFrame(), pl.DataFrame()
    rows = pl.concat(numbers)
    text = pl.concat(texts, how="diagonal").fill_null("")
    kind = pl.concat(kinds, how="diagonal").fill_null(int(Cell.BLANK))
    return _filled(rows, text, kind)


def _filled(
    rows: pl.Series, texts: pl.DataFrame, kinds: pl.DataFrame
) -> tuple[pl.Series, pl.DataFrame, pl.DataFrame]:
    is_filled = pl.Series([False]).new_from_index(0, len(rows))
    for name in texts.columns:
        is_filled |= texts[name].str.contains(r"\S") | (kinds[name] >= int(Cell.ERROR))
        if is_filled.all():  # mostly after the first column
            break
    if is_filled.all():
        return rows, texts, kinds
    return rows.filter(is_filled), texts.filter(is_filled), kinds.filter(is_filled)
