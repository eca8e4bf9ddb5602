"""Sorts the public rows of a submission, so that their order says nothing about the filed file.

Lenders write a LAR in the order of applications or of ULIs. Were that order published, a row next
to a known loan would give away when it was made. Source: CFPB, policy guidance on the disclosure
of loan-level HMDA data (2018), on re-identification.
"""

from __future__ import annotations

from pathlib import Path

from databrowser.publication import scratch_database
from databrowser.publication.columns import SCHEMA
from databrowser.publication.scratch_database import PARQUET

_PLACE = ("state_code", "county_code", "census_tract")
_MEMORY_MB = 768  # a million rows take as long as with more, and four times as long with half


def write(rows: Path, target: Path) -> None:
    """Write the public rows of one Parquet file into another, in an order of what they hold.

    The same rows give the same file, whatever order they come in: they are sorted by place, then
    by a hash of all their values.
    """
    values = ", ".join(f"{name}::VARCHAR" for name in SCHEMA)
    with scratch_database.opened(target.parent, memory_mb=_MEMORY_MB) as database:
        # One thread after the other, so that row groups are cut at the same rows.
        database.execute("SET threads = 1")
        scratch_database.run(
            database,
            f"COPY (SELECT * FROM read_parquet({scratch_database.text(rows)}) "
            f"ORDER BY {', '.join(_PLACE)}, md5(concat_ws('|', {values}))) "
            f"TO {scratch_database.text(target)} {PARQUET}",
        )
