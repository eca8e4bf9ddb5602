"""Sorts the public records of a submission, so that their order does not reveal that of the file.

Lenders often write a LAR in the order of applications or of ULIs. Publishing that order would
reveal the approximate date of a record next to a known loan. Source: CFPB, policy guidance on the
disclosure of loan-level HMDA data (2018), on re-identification.
"""

from __future__ import annotations

from pathlib import Path

from databrowser.publication import scratch_database
from databrowser.publication.columns import SCHEMA
from databrowser.publication.scratch_database import PARQUET

_PLACE = ("state_code", "county_code", "census_tract")
_MEMORY_MB = 768  # more does not make a million rows faster; half takes four times as long


def write(rows: Path, target: Path) -> None:
    """Write the public records of one Parquet file into another, sorted by their content.

    The same records give the same file, whatever their original order: they are sorted by place,
    then by a hash of all their values.
    """
    values = ", ".join(f"{name}::VARCHAR" for name in SCHEMA)
    with scratch_database.connection(target.parent, memory_mb=_MEMORY_MB) as database:
        # A single thread always cuts row groups at the same rows.
        database.execute("SET threads = 1")
        scratch_database.run(
            database,
            f"COPY (SELECT * FROM read_parquet({scratch_database.text(rows)}) "
            f"ORDER BY {', '.join(_PLACE)}, md5(concat_ws('|', {values}))) "
            f"TO {scratch_database.text(target)} {PARQUET}",
        )
