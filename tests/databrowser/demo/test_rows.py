"""Made-up public rows: the same each time, with every column."""

from __future__ import annotations

import polars as pl
import pytest

from databrowser.demo import rows as demo_rows
from databrowser.publication.columns import SCHEMA

ROWS = 30_000


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return pl.concat(demo_rows.demo_pieces(demo_rows.DemoWorld.of(ROWS), year=2020, rows=ROWS))


def test_a_row_has_every_column_and_none_is_missing(rows, tmp_path):
    assert rows.schema == pl.Schema(SCHEMA)
    assert rows.null_count().sum_horizontal().item() == 0
    demo_rows.write_demo_rows(
        demo_rows.DemoWorld.of(ROWS), tmp_path / "rows.parquet", year=2020, rows=ROWS
    )
    assert pl.read_parquet(tmp_path / "rows.parquet").equals(rows)
