"""How the public records of two versions of a year differ, in bounded memory.

Public records have no key, so which record became which is decided by their values, within an
institution:

1. Records equal in all columns are the same, as often as both versions have them.
2. The others are paired as *changed* where they agree in a set of columns, in five passes from many
   columns to few (`PASSES`). Of several that agree, the first is paired with the first, in the
   order of the files. Each record is paired once.
3. What is left is *removed* from the earlier version, or *added* by the later one.

The fields that moved are the columns in which the records of a pair differ.

Each file is read twice: first for the hashes of these sets of columns, which a scratch database
keeps, then column by column for the values of pairs. Only some institutions are compared at a time.
Hashes have 64 bits: two different records of one institution count as the same once in billions of
comparisons of whole years.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from databrowser.publication import scratch_database
from databrowser.publication.columns import PUBLIC
from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.scratch_database import Progress, quote
from filing.lar.prefetch import map_in_parallel

_PLACE = ("state_code", "county_code", "census_tract")
_LOAN = ("loan_type", "loan_purpose")
_APPLICANT = ("applicant_age", "applicant_sex", "applicant_ethnicity_1", "applicant_race_1")
# The columns in which two records agree that are paired, in the order of the passes.
PASSES: dict[str, tuple[str, ...]] = {
    # All columns as filed: only what is derived differs, as with another census file.
    "filed": tuple(column.name for column in PUBLIC if column.field and column.name != "lei"),
    # The application as it was made: its outcome and its price may differ.
    "application": (
        *(*_PLACE, *_LOAN, *_APPLICANT),
        *("construction_method", "occupancy_type", "lien_status", "total_units", "loan_amount"),
        *("property_value", "income", "co_applicant_age", "co_applicant_sex"),
    ),
    "loan": (*_PLACE, *_LOAN, "loan_amount", "action_taken"),
    # The same applicant and amount at another place.
    "applicant": (
        *(*_LOAN, *_APPLICANT),
        *("action_taken", "loan_amount", "property_value", "income"),
    ),
    # The same applicant at the same place, with another amount or outcome.
    "place": (*_PLACE, *_LOAN, *_APPLICANT, "occupancy_type"),
}
# Columns in which two records of an institution and a year may differ.
FIELDS = tuple(column.name for column in PUBLIC if column.name not in ("activity_year", "lei"))
COUNTS = ("before", "after", "added", "removed", "changed")
_SIDES = ("before", "after")
PART_ROWS = 2_000_000  # of one version, about, that are compared at a time
_MEMORY_MB = 512  # of the scratch database; what is compared takes the rest
# The progress after the files are hashed, and after records are paired; by the time it takes.
_HASHED, _PAIRED = 0.5, 0.7


def compare_files(
    before: Path, after: Path, folder: Path, progress: Progress = lambda share: None
) -> pl.DataFrame:
    """Return the institutions whose records differ, by LEI.

    Shape: `lei`; how many records it has `before` and `after`; how many of them were `added`,
    `removed` and `changed`; for each of `FIELDS`, how many of the changed ones differ in it.

    before, after: files with the columns of `SCHEMA`. folder: for what does not fit in memory.
    """
    pairs, removed, added = _match_records(before, after, folder, progress)
    lei = pl.col("lei").cast(_list_institutions(before, after))
    owners = _read_column(after, lei)
    counts = [owners.value_counts(name="after"), owners.gather(added).value_counts(name="added")]
    owners = _read_column(before, lei)
    counts += [
        owners.value_counts(name="before"),
        owners.gather(removed).value_counts(name="removed"),
    ]
    owners = owners.gather(pairs["before"])
    counts += [owners.value_counts(name="changed")]

    def count_moved(name: str) -> pl.DataFrame:
        was = _read_column(before, pl.col(name).hash()).gather(pairs["before"])
        now = _read_column(after, pl.col(name).hash()).gather(pairs["after"])
        return owners.filter(was != now).value_counts(name=name)

    for number, moved in enumerate(map_in_parallel(count_moved, FIELDS), 1):
        counts += [moved]
        progress(_PAIRED + (1 - _PAIRED) * number / len(FIELDS))
    leis = pl.concat([frame.select("lei") for frame in counts]).unique()
    joined = pl.concat([leis, *counts], how="align_left").fill_null(0)
    differs = pl.any_horizontal(pl.col("added", "removed", "changed") > 0)
    return joined.filter(differs).with_columns(pl.col("lei").cast(pl.String)).sort("lei")


def _list_institutions(*files: Path) -> pl.Enum:
    """Return the LEIs of some files as a type, with which each takes four bytes at most."""
    leis = pl.scan_parquet([*files]).select(pl.col("lei").unique()).collect(engine="streaming")
    return pl.Enum(leis["lei"].sort())


def _read_column(file: Path, column: pl.Expr) -> pl.Series:
    """Return a column of what is computed of each record, without holding the texts of all."""
    return pl.scan_parquet(file).select(column).collect(engine="streaming").to_series()


def _match_records(
    before: Path, after: Path, folder: Path, progress: Progress
) -> tuple[pl.DataFrame, pl.Series, pl.Series]:
    """Return the rows of pairs that changed, those that were removed, and those that were added."""
    files = (before, after)
    rows = max(pl.scan_parquet(file).select(pl.len()).collect().item() for file in files)
    parts = rows // PART_ROWS + 1
    matched = []
    with scratch_database.connect_scratch(folder, folder / "hashes.duckdb") as database:
        database.execute(f"SET memory_limit = '{_MEMORY_MB}MB'")
        for number, (side, file) in enumerate(zip(_SIDES, files, strict=True)):
            _hash_records(database, side, file, parts)
            progress(_HASHED * (number + 1) / 2)
        for part in range(parts):
            matched.append(_match_part(*(_read_part(database, side, part) for side in _SIDES)))
            progress(_HASHED + (_PAIRED - _HASHED) * (part + 1) / parts)
    pairs, removed, added = (pl.concat(frames) for frames in zip(*matched, strict=True))
    return pairs.sort("before"), removed["row"], added["row"]


def _hash_records(database: duckdb.DuckDBPyConnection, side: str, file: Path, parts: int) -> None:
    """Store the row of each record, the part its institution belongs to, and its hashes."""
    filed = _hash("lei", *PASSES["filed"])
    rest = [column.name for column in PUBLIC if not column.field]
    others = (f"{_hash('lei', *PASSES[name])} AS {name}" for name in PASSES if name != "filed")
    database.execute(
        f"CREATE TABLE {side} AS SELECT file_row_number::UINTEGER AS row, "
        f"(hash(lei) % {parts})::UINTEGER AS part, {_hash('filed', *rest)} AS record, filed, "
        f"{', '.join(others)} FROM (SELECT *, {filed} AS filed "
        f"FROM read_parquet({quote(file)}, file_row_number = true))"
    )


def _hash(*columns: str) -> str:
    return f"hash({', '.join(columns)})"


def _read_part(database: duckdb.DuckDBPyConnection, side: str, part: int) -> pl.DataFrame:
    query = database.sql(f"SELECT * EXCLUDE (part) FROM {side} WHERE part = {part}")
    frame = pl.from_arrow(query.to_arrow_table())
    assert isinstance(frame, pl.DataFrame), "A table has columns."
    return frame


def _match_part(
    before: pl.DataFrame, after: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the rows of pairs that changed, and the rows of each side without a pair."""
    before, after = _drop_same(before, after)
    pairs = []
    for name in PASSES:
        numbered = (_number_alike(records, name) for records in (before, after))
        paired = next(numbered).join(next(numbered), on=[name, "nth"], suffix="_after")
        pairs.append(paired.select(before="row", after="row_after"))
        before = before.join(pairs[-1], left_on="row", right_on="before", how="anti")
        after = after.join(pairs[-1], left_on="row", right_on="after", how="anti")
    return pl.concat(pairs), before.select("row"), after.select("row")


def _drop_same(before: pl.DataFrame, after: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the records that the other side does not have, or not as often.

    One sort of all hashes finds them: the last bit of each says which side it is from.
    """
    last_bit = np.uint64(1)
    sides = [frame["record"].to_numpy() for frame in (before, after)]
    hashes = np.concatenate([sides[0] & ~last_bit, sides[1] | last_bit])
    hashes.sort()
    records, is_after = hashes | last_bit, hashes & last_bit
    is_first = np.ones(len(records), bool)
    is_first[1:] = records[1:] != records[:-1]
    begins = np.flatnonzero(is_first)
    if not len(begins):
        return before, after
    sizes = np.diff(begins, append=len(hashes))
    surplus = sizes - 2 * np.add.reduceat(is_after.astype(np.int64), begins)
    is_uneven = surplus != 0
    uneven = pl.DataFrame({"record": records[begins[is_uneven]], "surplus": surplus[is_uneven]})
    return _keep_surplus(before, uneven, sign=1), _keep_surplus(after, uneven, sign=-1)


def _keep_surplus(frame: pl.DataFrame, uneven: pl.DataFrame, *, sign: int) -> pl.DataFrame:
    """Return the first records of those that one side has more often."""
    same_bit = frame.select("row", pl.col("record") | 1)
    numbered = _number_alike(same_bit.join(uneven, on="record"), "record", "surplus")
    kept = numbered.filter(pl.col("nth") < pl.col("surplus") * sign)
    return frame.drop("record").join(kept, on="row", how="semi")


def _number_alike(records: pl.DataFrame, name: str, *others: str) -> pl.DataFrame:
    """Return records sorted by a column, with their number among those with the same value.

    Only their rows and this column are kept, and others: all of them would be most of the memory.
    """
    position, value = pl.int_range(pl.len()), pl.col(name)
    begin = pl.when(value.ne_missing(value.shift())).then(position).forward_fill()
    return records.select("row", name, *others).sort(name, "row").with_columns(nth=position - begin)
