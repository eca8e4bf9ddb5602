"""Typed files: what a program reads in them, of every column, and which bytes they have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from databrowser.publication import typed_files
from databrowser.publication.columns import PUBLIC
from databrowser.publication.layout import TYPED
from tests.databrowser.conftest import public_rows
from tests.databrowser.publication.public_files import public

FACTS = {"dataset": "dynamic"}


def write(frame: pl.DataFrame, folder: Path) -> list[str]:
    folder.mkdir(exist_ok=True)
    frame.write_parquet(folder / "loans.parquet", row_group_size=1_000)
    return typed_files.write_typed_files(
        folder / "loans.parquet", folder, year=int(frame["activity_year"][0]), facts=FACTS
    )


def typed(folder: Path, *loans: dict[str, str]) -> list[dict[str, Any]]:
    write(public(*loans), folder)
    return pq.read_table(folder / TYPED).to_pylist()


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Made-up records of a few states, each of which is a file of its own."""
    return public_rows(2021, 2_000).filter(pl.col("state_code").is_in(["AL", "CA", "NA", "TX"]))


NUMBERS = [
    ("income", "57", 57, None),
    ("income", "-3", -3, None),
    ("income", "NA", None, "NA"),
    ("income", "9" * 30, None, "9" * 30),
    ("interest_rate", "4.125", 4.125, None),
    ("interest_rate", "Exempt", None, "Exempt"),
    ("discount_points", "", None, None),
    ("discount_points", "0.5", 0.5, None),
    ("property_value", "205000", 205000, None),
    ("multifamily_affordable_units", "NA", None, "NA"),
    ("loan_term", "360", 360, None),
    ("tract_minority_population_percent", "12.5", 12.5, None),
    ("tract_population", "NA", None, "NA"),
]


def test_a_number_is_null_where_its_note_says_why(tmp_path: Path) -> None:
    loans = typed(tmp_path, *({name: text} for name, text, *_ in NUMBERS))
    for row, (name, _, value, note) in zip(loans, NUMBERS, strict=True):
        assert (row[name], row[f"{name}_note"]) == (value, note)


def test_a_code_that_is_no_number_is_not_hidden(tmp_path: Path) -> None:
    with pytest.raises(pl.exceptions.InvalidOperationError, match="action_taken"):
        typed(tmp_path, {"action_taken": "3 or 4"})


def test_every_value_of_made_up_records_is_found_again(frame: pl.DataFrame, tmp_path: Path) -> None:
    write(frame, tmp_path)
    found = pl.read_parquet(tmp_path / TYPED).with_columns(pl.col(pl.Categorical).cast(pl.String))
    assert found.height == frame.height
    for column in PUBLIC:
        values = found[column.name].cast(pl.String)
        if column.note:
            values = pl.select(pl.coalesce(values, found[column.note])).to_series()
        if column.typed == pl.Float64:
            values = values.cast(pl.Float64, strict=False)
            expected = frame[column.name].cast(pl.Float64, strict=False)
        else:
            expected = frame[column.name].cast(pl.String)
            values = values.fill_null("")
        assert values.to_list() == expected.to_list(), column.name


def test_the_schema_describes_each_column_and_the_file(tmp_path: Path) -> None:
    write(public_rows(2021, 50), tmp_path)
    schema = pq.read_schema(tmp_path / TYPED)
    assert {field.name for field in schema if b"description" not in field.metadata} == set()
    assert json.loads(schema.field("lien_status").metadata[b"codes"]) == {
        "1": "Secured by a first lien",
        "2": "Secured by a subordinate lien",
    }
    assert json.loads(schema.field("applicant_age").metadata[b"codes"])["<25"] == (
        "Younger than 25"
    )
    assert json.loads(schema.field("interest_rate").metadata[b"notes"]) == ["NA", "Exempt"]
    assert schema.field("action_taken").type == pa.int8()
    assert schema.field("aus_1").type == pa.int16()
    assert schema.field("income").type == pa.int64()
    assert schema.field("rate_spread").type == pa.float64()
    facts = {name.decode(): value.decode() for name, value in schema.metadata.items()}
    assert len(facts.pop("records_sha256")) == 64
    assert facts == {"schema_version": "1", "year": "2021", "dataset": "dynamic"}


def test_the_files_of_states_have_the_records_of_each_and_are_row_groups_of_the_whole(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    states = write(frame, tmp_path)
    assert states == sorted({*frame["state_code"]})
    whole = pq.ParquetFile(tmp_path / TYPED)
    parts = [pq.read_table(tmp_path / f"typed-{state}.parquet") for state in states]
    assert pa.concat_tables(parts).equals(whole.read())
    assert whole.num_row_groups == len(states)
    column = whole.schema_arrow.get_field_index("state_code")
    for number, state in enumerate(states):
        statistics = whole.metadata.row_group(number).column(column).statistics
        assert (statistics.min, statistics.max) == (state, state)
        found = pq.read_schema(tmp_path / f"typed-{state}.parquet").metadata
        assert found[b"state"].decode() == state


def test_records_without_a_state_have_a_file(tmp_path: Path) -> None:
    states = write(public({"state_code": ""}, {"state_code": "MD"}), tmp_path)
    assert states == ["blank", "MD"]
    assert pq.read_table(tmp_path / "typed-blank.parquet")["state_code"].to_pylist() == [None]


def test_the_same_records_give_the_same_bytes(frame: pl.DataFrame, tmp_path: Path) -> None:
    names = [TYPED, *(f"typed-{state}.parquet" for state in write(frame, tmp_path / "1"))]
    write(frame, tmp_path / "2")
    more = pl.concat([public({"state_code": "AA", "activity_year": 2021}), frame])
    write(more, tmp_path / "3")
    for name in names:
        first, second, third = (
            (tmp_path / number / name).read_bytes() for number in ("1", "2", "3")
        )
        assert first == second
        assert (first == third) == (name != TYPED), "of a state, also when others change"
