"""About how many bytes a download will have: rows, by what a row takes in the same data set."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from django.core.cache import cache

from databrowser.publication.columns import PUBLIC
from databrowser.publication.lazy_imports import pq
from databrowser.publication.serving.data_sets import LiveYear

_GROUPS, _ROWS = 5, 400  # of a sample: row groups all over the file, rows of each
_KEPT_SECONDS = 30 * 24 * 3600
_HEADER = len(",".join(each.browser for each in PUBLIC)) + 1
_FRAME = 48_000  # bytes of a Parquet file that has no rows


def about(rows: int, data_sets: Sequence[LiveYear]) -> dict[str, int]:
    """Return the bytes of so many rows of some data sets by form: csv, pipe and parquet."""
    text = packed = 0.0
    whole = sum(each.rows for each in data_sets) or 1
    for each in data_sets:
        of_text, of_packed = _of_a_row(each)
        text += of_text * each.rows / whole
        packed += of_packed * each.rows / whole
    as_text = _HEADER + round(rows * text)
    return {"csv": as_text, "pipe": as_text, "parquet": _FRAME + round(rows * packed)}


def _of_a_row(data_set: LiveYear) -> tuple[float, float]:
    """Return the bytes of a mean row as text and in Parquet."""
    kept = f"databrowser:bytes-of-a-row:{data_set.sha256}"
    found: tuple[float, float] | None = cache.get(kept)
    if found is None:
        found = _measured(data_set)
        cache.set(kept, found, _KEPT_SECONDS)
    return found


def _measured(data_set: LiveYear) -> tuple[float, float]:
    path = data_set.parquet
    with pq.ParquetFile(path) as file:
        groups, rows = file.num_row_groups, file.metadata.num_rows
        if not rows:
            return 0.0, 0.0
        lengths: list[int] = []
        for group in sorted({groups * part // _GROUPS for part in range(_GROUPS)}):
            batch = next(file.iter_batches(_ROWS, row_groups=[group]))
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame), "A batch has columns."
            cells = [pl.col(each.name).cast(pl.String).fill_null("") for each in PUBLIC]
            line = pl.concat_str(cells, separator=",").str.len_bytes() + 1
            lengths += frame.select(line).to_series().to_list()
    return sum(lengths) / len(lengths), path.stat().st_size / rows
