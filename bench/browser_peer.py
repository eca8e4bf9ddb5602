"""The same rows in PostgreSQL, with indexes for such questions.

Only what the questions need is loaded, in the order of the data sets, into a table that is not
logged: all in its favour. The database is its own, and dropped in the end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import psycopg
from psycopg import sql

from bench.browser_questions import Query

NAME = "hmda_bench_browser"
_COLUMNS = {
    "activity_year": "smallint",
    "state_code": "text",
    "county_code": "text",
    "derived_msa_md": "text",
    "lei": "text",
    "action_taken": "text",
    "derived_race": "text",
    "derived_sex": "text",
    "derived_ethnicity": "text",
    "loan_type": "text",
    "loan_purpose": "text",
    "lien_status": "text",
    "construction_method": "text",
    "derived_dwelling_category": "text",
    "derived_loan_product_type": "text",
    "total_units": "text",
    "loan_amount": "double precision",
}
_INDEXES = (
    "(activity_year, state_code)",
    "(county_code, activity_year)",
    "(derived_msa_md, activity_year)",
    "(lei, activity_year)",
    "(activity_year, action_taken)",
    "(activity_year, derived_race, derived_sex, action_taken) INCLUDE (loan_amount)",
)
_ROWS_AT_ONCE = 50_000


@contextmanager
def peer(server: str, files: Sequence[Path]) -> Iterator[psycopg.Connection]:
    """Yield a connection to a new database with the rows of the files."""
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {NAME}")
        admin.execute(f"CREATE DATABASE {NAME}")
        try:
            with psycopg.connect(server, dbname=NAME, autocommit=True) as connection:
                _load(connection, files)
                yield connection
        finally:
            admin.execute(f"DROP DATABASE {NAME} WITH (FORCE)")


def _load(connection: psycopg.Connection, files: Sequence[Path]) -> None:
    columns = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
    connection.execute(f"CREATE UNLOGGED TABLE loans ({columns})")
    line = f"concat_ws(chr(9), {', '.join(_COLUMNS)}) || chr(10)"
    with duckdb.connect() as database, connection.cursor() as cursor:
        with cursor.copy("COPY loans FROM STDIN") as copy:
            for file in files:
                lines = database.from_query(f"SELECT {line} FROM read_parquet('{file}')")
                for batch in lines.to_arrow_reader(_ROWS_AT_ONCE):
                    copy.write("".join(batch.column(0).to_pylist()))
        for index in _INDEXES:
            cursor.execute(f"CREATE INDEX ON loans {index}")
        cursor.execute("VACUUM ANALYZE loans")


def seconds(connection: psycopg.Connection, query: Query, repeat: int) -> list[float]:
    """Return the times of a repeated question in seconds, after a first run."""
    times = []
    for _ in range(repeat + 1):
        began = time.perf_counter()
        answer(connection, query)
        times.append(time.perf_counter() - began)
    return times[1:]


def answer(
    connection: psycopg.Connection, query: Query
) -> dict[tuple[str, ...], tuple[int, float]]:
    """Return the groups with rows: count and sum."""
    by = sql.SQL(", ").join(map(sql.Identifier, query.by))
    where = sql.SQL(" AND ").join(
        sql.SQL("{} = ANY(%s)").format(sql.Identifier(column)) for column in query.where
    )
    statement = sql.SQL(
        "SELECT {by}, count(*), sum(loan_amount) FROM loans WHERE {where} GROUP BY {by}"
    ).format(by=by, where=where)
    rows = connection.execute(statement, list(query.where.values())).fetchall()
    return {tuple(group): (int(count), float(total)) for *group, count, total in rows}
