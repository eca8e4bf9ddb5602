"""The files of a modified LAR: the public records, and the facts for the quarterly graphs."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import polars as pl

from databrowser.publication import columns, scratch_database
from databrowser.publication.columns import SCHEMA
from databrowser.publication.layout import LOANS
from databrowser.publication.lazy_imports import pq
from databrowser.publication.records import derived, masking, places, quarterly_facts
from databrowser.publication.records.masking import public_rows
from databrowser.publication.scratch_database import PARQUET
from filing.lar import nested
from filing.lar.blocks import read_blocks
from filing.lar.parser import read_loans
from filing.lar.prefetch import prefetch_items
from filing.models import ReferenceData, Submission
from filing.reference import kinds
from filing.reference import limits as limits_file
from filing.reference_data import registry
from filing.registries import Lease

_BLOCK_BYTES = 8 << 20  # of the file at a time, with its public records and facts in memory
# The code that makes the public records of a file. Other code may make other records of it.
_DEFINITIONS = (
    *(columns, derived, places, masking, nested),
    sys.modules[__name__],
)


@cache
def digest_definitions() -> int:
    """Return the revision of public records: a digest of the code that makes them."""
    return digest_code(*map(inspect.getsource, _DEFINITIONS))


def digest_code(*sources: str) -> int:
    """Return a digest of Python modules, without comments and docstrings, as a positive integer."""
    trees = [ast.parse(source) for source in sources]
    for node in (node for tree in trees for node in ast.walk(tree)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        if ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    code = "\n".join(map(ast.unparse, trees))
    return int.from_bytes(hashlib.sha256(code.encode()).digest()[:4]) >> 1


def write_row_files(
    submission: Submission,
    raw: Path,
    target: Path,
    data: dict[str, ReferenceData | None],
    lease: Lease,
) -> int:
    """Write both files into a folder, in bounded memory; return their number of rows.

    Raises: LostLease when another worker has taken over the job.
    """
    census, limits = data[kinds.CENSUS], data[kinds.COUNTY_LIMITS]
    census_rows = registry.read_rows_of_file(census) if census else None
    loan_limits = (
        limits_file.build_loan_limits(registry.read_rows_of_file(limits)) if limits else None
    )
    as_filed = target / f"as-filed-{LOANS}"
    with ExitStack() as stack:
        facts = stack.enter_context(_writer(target / quarterly_facts.FILE, quarterly_facts.SCHEMA))
        public = None
        if not submission.period.is_quarterly:
            public = stack.enter_context(_writer(as_filed, SCHEMA))
        for loans in prefetch_items(_loans(raw)):
            lease.require()
            rows = public_rows(
                loans, year=submission.period.year, census=census_rows, limits=loan_limits
            )
            if public is not None:
                public.write_table(rows.to_arrow())
            facts.write_table(quarterly_facts.quarterly_facts_of(loans, rows).to_arrow())
            lease.rows_done += rows.height
    if public is not None:
        write_in_public_order(as_filed, target / LOANS)
        as_filed.unlink()
    return lease.rows_done


def _loans(raw: Path) -> Iterator[pl.DataFrame]:
    with raw.open("rb") as file:
        for block in read_blocks(file, size=_BLOCK_BYTES):
            read = read_loans(block)
            if read.unread:  # of a file that could not be signed: no record is left out in silence
                raise ValueError(f"Line {read.faulty[0] + 1} has format errors.")
            yield read.loans


def _writer(path: Path, schema: dict[str, type[pl.DataType]]) -> pq.ParquetWriter:
    return pq.ParquetWriter(path, pl.DataFrame(schema=schema).to_arrow().schema, compression="zstd")


_PLACE = ("state_code", "county_code", "census_tract")
_MEMORY_MB = 768  # more does not make a million rows faster; half takes four times as long


def write_in_public_order(rows: Path, target: Path) -> None:
    """Write the public records of one Parquet file into another, sorted by their content.

    The same records give the same file, whatever their original order: they are sorted by place,
    then by a hash of all their values.
    """
    values = ", ".join(f"{name}::VARCHAR" for name in SCHEMA)
    with scratch_database.connect_scratch(target.parent, memory_mb=_MEMORY_MB) as database:
        # A single thread always cuts row groups at the same rows.
        database.execute("SET threads = 1")
        scratch_database.run_statement(
            database,
            f"COPY (SELECT * FROM read_parquet({scratch_database.quote(rows)}) "
            f"ORDER BY {', '.join(_PLACE)}, md5(concat_ws('|', {values}))) "
            f"TO {scratch_database.quote(target)} {PARQUET}",
        )
