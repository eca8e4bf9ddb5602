"""Public records come out as they went in, sorted, and the same whatever their order was."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

from databrowser.demo.rows import DemoWorld, demo_pieces
from databrowser.publication import record_files
from databrowser.publication.columns import SCHEMA
from databrowser.publication.record_files import write_sorted

ROWS = 3_000
BY = ("state_code", "county_code", "lei", "position")


@pytest.fixture(scope="module")
def records() -> pl.DataFrame:
    made = pl.concat(demo_pieces(DemoWorld.of(ROWS), year=2023, rows=ROWS))
    return made.with_row_index("position")


@pytest.fixture(params=[ROWS, 700], ids=["in memory", "runs on disk"], autouse=True)
def limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_files, "_RUN_ROWS", request.param)
    monkeypatch.setattr(record_files, "_RANGE_ROWS", 500)
    monkeypatch.setattr(record_files, "GROUP_ROWS", 1_024)


def in_pieces(records: pl.DataFrame) -> list[pl.DataFrame]:
    """Return pieces of all sizes, an empty one among them."""
    ends = [0, 1, 1, 400, 1_100, 2_900, ROWS]
    return [records[begin:end] for begin, end in pairwise(ends)]


def test_records_are_sorted_and_whole(records: pl.DataFrame, tmp_path: Path) -> None:
    target = tmp_path / "sorted.parquet"
    write_sorted(in_pieces(records), target, by=BY, folder=tmp_path)
    assert dict(pl.read_parquet_schema(target)) == SCHEMA
    assert_frame_equal(pl.read_parquet(target), records.sort(BY).drop("position"))
    groups = pq.read_metadata(target)
    sizes = [groups.row_group(number).num_rows for number in range(groups.num_row_groups)]
    assert sizes == [1_024, 1_024, ROWS - 2_048]


def test_the_same_records_give_the_same_bytes(records: pl.DataFrame, tmp_path: Path) -> None:
    files = []
    for number, each in enumerate((records, records.reverse(), records.sort("income"))):
        files.append(tmp_path / f"{number}.parquet")
        write_sorted(in_pieces(each), files[-1], by=BY, folder=tmp_path)
    assert len({file.read_bytes() for file in files}) == 1


def test_no_records_make_a_file_without_rows(tmp_path: Path) -> None:
    target = tmp_path / "empty.parquet"
    write_sorted([], target, by=BY, folder=tmp_path)
    assert (dict(pl.read_parquet_schema(target)), pq.read_metadata(target).num_rows) == (SCHEMA, 0)
