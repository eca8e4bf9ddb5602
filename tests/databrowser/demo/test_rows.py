"""Made-up public rows: the same each time, plausible, and marked as what they are."""

from __future__ import annotations

import polars as pl
import pytest

from databrowser.demo import rows as demo_rows
from databrowser.dimensions.catalogue import FILTERS, STATE
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


def test_values_are_those_that_are_published_and_hang_together(rows):
    for dimension in FILTERS:
        assert set(rows[dimension.column]) <= set(dimension.values)
    assert set(rows["state_code"]) <= set(STATE.values)
    assert rows["county_code"].str.contains(r"^\d{5}$").all()
    assert rows["derived_msa_md"].str.contains(r"^\d{5}$").all()
    assert (rows["census_tract"].str.slice(0, 5) == rows["county_code"]).all()
    assert ((rows["loan_amount"] - 5_000) % 10_000 == 0).all()
    is_denied = rows["action_taken"].is_in(["3", "7"])
    assert (is_denied == (rows["denial_reason_1"] != "10")).all()
    has_product = rows["derived_loan_product_type"].str.ends_with(":First Lien")
    assert (has_product == (rows["lien_status"] == "1")).all()
    assert {"NA", "Exempt"} <= set(rows["interest_rate"])
