"""The files of a modified LAR: the public records, and the facts for the quarterly graphs.

In the same pass, the records are counted for the Institution Register Summary.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import polars as pl

from databrowser.publication import columns, record_files
from databrowser.publication.layout import LOANS
from databrowser.publication.lazy_imports import pq
from databrowser.publication.modified_lars import register_summary
from databrowser.publication.modified_lars.register_summary import SummaryRow
from databrowser.publication.records import derived, masking, places, quarterly_facts
from databrowser.publication.records.masking import public_rows
from filing.edits import numbers
from filing.lar import nested
from filing.lar.blocks import Block, read_blocks
from filing.lar.parser import read_loans
from filing.lar.prefetch import map_in_parallel
from filing.models import ReferenceData, Submission
from filing.reference import kinds
from filing.reference import limits as limits_file
from filing.reference_data import registry
from filing.registries import Lease

_BLOCK_BYTES = 8 << 20  # of the file at a time, with its public records and facts in memory
# Public records are sorted by their content alone: by place, then by a hash of all their values.
_PLACE, _HASH = ("state_code", "county_code", "census_tract"), "#hash"
# The progress once all records are read, by the time it takes; the rest is their merging.
_READ = 0.8
# The code that makes the public records of a file. Other code may make other records of it.
_DEFINITIONS = (
    *(columns, derived, places, masking, nested, numbers, register_summary),
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
) -> list[SummaryRow]:
    """Write both files into a folder, in bounded memory; return the figures of the IRS.

    Raises: LostLease when another worker has taken over the job.
    """
    census, limits = data[kinds.CENSUS], data[kinds.COUNTY_LIMITS]
    census_rows = registry.read_rows_of_file(census) if census else None
    loan_limits = (
        limits_file.build_loan_limits(registry.read_rows_of_file(limits)) if limits else None
    )
    year = submission.period.year
    counter = register_summary.SummaryCounter(census_rows)

    rows = 0
    summary: list[SummaryRow] = []

    def derive(block: Block) -> tuple[pl.DataFrame, pl.DataFrame, list[SummaryRow]]:
        loans = _loans(block)
        public = public_rows(loans, year=year, census=census_rows, limits=loan_limits)
        facts = quarterly_facts.quarterly_facts_of(loans, public)
        return public, facts, counter.count(loans)

    def pieces() -> Iterator[pl.DataFrame]:
        nonlocal rows, summary
        with raw.open("rb") as file, _facts_writer(target / quarterly_facts.FILE) as facts_file:
            blocks = read_blocks(file, size=_BLOCK_BYTES)
            for public, facts, counted in map_in_parallel(derive, blocks):
                lease.require()
                facts_file.write_table(facts.to_arrow())
                summary = register_summary.sum_rows([*summary, *counted])
                rows += public.height
                lease.rows_done = round(rows * _READ)
                yield public

    def report_merged(share: float) -> None:
        lease.require()
        lease.rows_done = round(rows * (_READ + share * (1 - _READ)))

    if not submission.period.is_quarterly:
        # The same records give the same file, whatever their original order.
        hashed = (piece.with_columns(piece.hash_rows().alias(_HASH)) for piece in pieces())
        by = (*_PLACE, _HASH)
        record_files.write_sorted(
            hashed, target / LOANS, by=by, folder=target, progress=report_merged
        )
    else:
        deque(pieces(), maxlen=0)
    lease.rows_done = rows
    return summary


def _loans(block: Block) -> pl.DataFrame:
    read = read_loans(block)
    if read.unread:  # of a file that could not be signed: no record is left out in silence
        raise ValueError(f"Line {read.faulty[0] + 1} has format errors.")
    return read.loans


def _facts_writer(path: Path) -> pq.ParquetWriter:
    schema = pl.DataFrame(schema=quarterly_facts.SCHEMA).to_arrow().schema
    return pq.ParquetWriter(path, schema, compression="zstd")
