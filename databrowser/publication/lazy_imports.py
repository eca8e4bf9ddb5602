"""DuckDB and Arrow, imported when they are first used.

Importing them takes half a second and 90 MB, and most processes never read or write a data set.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any


class _LazyModule:
    """A placeholder that imports its module when an attribute is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    duckdb, pa, pq = map(_LazyModule, ("duckdb", "pyarrow", "pyarrow.parquet"))

__all__ = ["duckdb", "pa", "pq"]
