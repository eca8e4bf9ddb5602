"""DuckDB and Arrow, loaded where they are first used.

They cost half a second and 90 MB, and most processes never read or write a data set.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any


class _AtFirstUse:
    """Stands for a module until something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    duckdb, pa, pq = map(_AtFirstUse, ("duckdb", "pyarrow", "pyarrow.parquet"))

__all__ = ["duckdb", "pa", "pq"]
