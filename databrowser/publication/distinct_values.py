"""The different values of the columns of public records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from databrowser.publication.columns import SCHEMA
from databrowser.publication.lazy_imports import pq


def read_distinct_values(files: Iterable[Path]) -> dict[str, set[str]]:
    """Return the different values of each text column of some Parquet files with public records.

    The files have them as dictionaries, so that no row is looked at.
    """
    values: dict[str, set[str]] = {
        name: set() for name, dtype in SCHEMA.items() if dtype == pl.String
    }
    for file in files:
        with pq.ParquetFile(file, read_dictionary=list(values)) as parquet:
            for group in range(parquet.num_row_groups):
                table = parquet.read_row_group(group, columns=list(values))
                for name, column in zip(table.column_names, table.columns, strict=True):
                    for chunk in column.chunks:
                        values[name].update(chunk.dictionary.to_pylist())
    return values
