"""Writes the records of all sources into one Parquet file, sorted by place and institution."""

from __future__ import annotations

from pathlib import Path

from databrowser.publication import scratch_database
from databrowser.publication.builds.sources import Sources
from databrowser.publication.columns import SCHEMA
from databrowser.publication.layout import LOANS
from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.scratch_database import PARQUET, Progress
from filing import storage

_TEXTS = [name for name, dtype in SCHEMA.items() if name not in {"activity_year", "loan_amount"}]
# A column with at most this many values is sorted as numbers of one or two bytes, not as text.
_FEW_VALUES = 20_000
# With fewer rows, nothing is gained.
_WORTH_CODING = 100_000
_FILES_AT_ONCE = 500


def write(
    database: duckdb.DuckDBPyConnection,
    sources: Sources,
    target: Path,
    progress: Progress | None = None,
) -> None:
    """Write the public records of a year.

    The records of an institution that has signed come from its submission only; those of others
    from the newest import that has any.

    Shape: the columns of `SCHEMA`, sorted by state, county, LEI, then as in its source.
    """
    _gather(database, sources)
    coded_columns = (
        _columns_with_few_values(database) if rows_of(sources) >= _WORTH_CODING else set()
    )
    for name in coded_columns:
        values = f"SELECT DISTINCT {name} FROM gathered ORDER BY 1"
        database.execute(f"CREATE TYPE values_of_{name} AS ENUM ({values})")
    coded = ", ".join(
        f"{name}::values_of_{name} AS {name}" if name in coded_columns else name
        for name in (*SCHEMA, "file_row_number")
    )
    plain = ", ".join(
        f"{name}::VARCHAR AS {name}" if name in coded_columns else name for name in SCHEMA
    )
    scratch_database.run(
        database,
        f"COPY (SELECT {plain} FROM (SELECT {coded} FROM gathered "
        "ORDER BY state_code, county_code, lei, file_row_number)) "
        f"TO {scratch_database.text(target)} {PARQUET}",
        progress,
    )


def rows_of(sources: Sources) -> int:
    """Return the number of rows in all sources, including those that will not be used."""
    signed = sum(signed.rows for signed in sources.signed)
    return signed + sum(imported.rows for imported in sources.imports)


def _gather(database: duckdb.DuckDBPyConnection, sources: Sources) -> None:
    """Create the view `gathered` of all records, each with its row number in its file."""
    database.execute("CREATE TABLE taken_from (lei VARCHAR, source INTEGER)")
    if leis := {signed.lei for signed in sources.signed} | {*sources.missing}:
        database.executemany("INSERT INTO taken_from VALUES (?, -1)", [[lei] for lei in leis])
    columns = ", ".join((*SCHEMA, "file_row_number"))
    selects = []
    files = [str(signed.path) for signed in sources.signed]
    for start in range(0, len(files), _FILES_AT_ONCE):
        batch = scratch_database.texts(files[start : start + _FILES_AT_ONCE])
        selects.append(f"SELECT {columns} FROM read_parquet({batch}, file_row_number = true)")
    for number, imported in enumerate(sources.imports):
        path = scratch_database.text(storage.local(f"{imported.folder}/{LOANS}"))
        database.execute(
            f"INSERT INTO taken_from SELECT DISTINCT lei, {number:d} FROM read_parquet({path}) "
            "WHERE lei NOT IN (SELECT lei FROM taken_from)"
        )
        selects.append(
            f"SELECT {columns} FROM read_parquet({path}, file_row_number = true) "
            f"WHERE lei IN (SELECT lei FROM taken_from WHERE source = {number:d})"
        )
    database.execute(f"CREATE VIEW gathered AS {' UNION ALL '.join(selects)}")


def _columns_with_few_values(database: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the text columns that have few different values."""
    counts = database.execute(
        f"SELECT {', '.join(f'approx_count_distinct({name})' for name in _TEXTS)} FROM gathered"
    ).fetchone()
    assert counts is not None, "An aggregate without groups has one row."
    return {name for name, number in zip(_TEXTS, counts, strict=True) if number <= _FEW_VALUES}
