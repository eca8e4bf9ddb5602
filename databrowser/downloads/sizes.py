"""Estimated sizes of downloads, from the mean size of a row in the same data set."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from django.core.cache import cache

from databrowser.publication.columns import PUBLIC
from databrowser.publication.lazy_imports import pq
from databrowser.publication.serving.data_sets import LiveYear

_GROUPS, _ROWS = 5, 400  # of a sample: row groups spread over the file, rows of each
_CACHE_SECONDS = 30 * 24 * 3600
_HEADER = len(",".join(column.browser for column in PUBLIC)) + 1
_FRAME = 48_000  # bytes of a Parquet file without rows


def estimated_bytes(rows: int, data_sets: Sequence[LiveYear]) -> dict[str, int]:
    """Return the estimated bytes of a number of rows by format: csv, pipe and parquet."""
    text = parquet = 0.0
    all_rows = sum(data_set.rows for data_set in data_sets) or 1
    for data_set in data_sets:
        row_text, row_parquet = _row_bytes(data_set)
        text += row_text * data_set.rows / all_rows
        parquet += row_parquet * data_set.rows / all_rows
    text_bytes = _HEADER + round(rows * text)
    return {"csv": text_bytes, "pipe": text_bytes, "parquet": _FRAME + round(rows * parquet)}


def _row_bytes(data_set: LiveYear) -> tuple[float, float]:
    """Return the mean bytes of a row as text and in Parquet, from the cache if possible."""
    key = f"databrowser:bytes-of-a-row:{data_set.sha256}"
    sizes: tuple[float, float] | None = cache.get(key)
    if sizes is None:
        sizes = _sampled_row_bytes(data_set)
        cache.set(key, sizes, _CACHE_SECONDS)
    return sizes


def _sampled_row_bytes(data_set: LiveYear) -> tuple[float, float]:
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
            cells = [pl.col(column.name).cast(pl.String).fill_null("") for column in PUBLIC]
            line = pl.concat_str(cells, separator=",").str.len_bytes() + 1
            lengths += frame.select(line).to_series().to_list()
    return sum(lengths) / len(lengths), path.stat().st_size / rows
