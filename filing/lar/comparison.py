"""The difference of two files: loans added, removed, and changed, matched by their ULI.

A file is read once, block by block, and of each loan two hashes of 64 bits are kept: one of its
ULI, one of the whole line. The loans that the files have in common are matched by hashes alone;
only the loans that differ are read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from filing.lar.blocks import read_blocks
from filing.lar.cutting import cut_block
from filing.lar.fields import LAR
from filing.lar.lines import Lines
from filing.lar.prefetch import map_in_parallel

NAMES = [field.name for field in LAR]
CHUNK_ROWS = 5_000
_ULI_POSITION = NAMES.index("uli")


@dataclass(frozen=True, slots=True)
class LoanHashes:
    """The loans of one file as hashes.

    loans: `row`, `key` (of the ULI, in upper case; 0 for a blank one) and `line` (of all fields).
    left_out: lines that are no loans, because they have another number of fields or are too long.
    """

    loans: pl.DataFrame
    left_out: int


@dataclass(frozen=True, slots=True)
class LoanDifference:
    """The rows that two files do not have in common.

    removed: `row` in the former file; added: `row` in the latter; changed: `before` and `after`,
    the rows of one loan in the two. All in file order.
    same: loans that are identical in both. repeated: ULIs that a file has more than once.
    blank: loans without a ULI, which never count as changed.
    """

    removed: pl.Series
    added: pl.Series
    changed: pl.DataFrame
    same: int
    repeated: int
    blank: int


def hash_loans(path: Path) -> LoanHashes:
    """Return the loans of a file as hashes, in one pass and bounded memory.

    How a line ends, blanks around values, quotes and a byte order mark make no difference.
    Raises: NotText, naming the first line that is not UTF-8.
    """
    line = pl.col("line")
    uli = line.str.splitn("|", _ULI_POSITION + 2).struct.field(f"field_{_ULI_POSITION}")
    key = pl.when(uli == "").then(pl.lit(0, pl.UInt64)).otherwise(uli.str.to_uppercase().hash())
    parts, left_out = [], 0
    with path.open("rb") as file:
        for cut in map_in_parallel(cut_block, read_blocks(file), threads=1):
            # The fields of trimmed lines differ where the lines do; cutting them would take longer.
            lines = pl.Series([cut.data.decode()]).str.split("\n").explode().head(len(cut.rows))
            loans = pl.DataFrame({"row": cut.rows, "line": lines})
            parts.append(loans.select("row", key=key, line=line.hash()))
            left_out += cut.misfits.height
    empty = pl.DataFrame(schema={"row": pl.UInt32, "key": pl.UInt64, "line": pl.UInt64})
    return LoanHashes(pl.concat([empty, *parts]), left_out)


def compare_loans(before: LoanHashes, after: LoanHashes) -> LoanDifference:
    """Return the difference of two files, whatever the order of their loans.

    Identical loans are matched first, as often as they are in both. The remaining loans of a ULI
    that a file has more than once are matched in file order.
    """
    old = _unmatched(before.loans, after.loans)
    new = _unmatched(after.loans, before.loans)
    has_uli = pl.col("key") != 0
    loans, other_loans = (_numbered(side.filter(has_uli), "key") for side in (old, new))
    changed = loans.join(other_loans, on=["key", "number"], suffix="_after")
    return LoanDifference(
        removed=old.join(changed, on="row", how="anti")["row"].sort(),
        added=new.join(changed, left_on="row", right_on="row_after", how="anti")["row"].sort(),
        changed=changed.select(before="row", after="row_after").sort("before"),
        same=before.loans.height - old.height,
        repeated=len(pl.concat([_repeated(before.loans), _repeated(after.loans)]).unique()),
        blank=sum(int((side.loans["key"] == 0).sum()) for side in (before, after)),
    )


def read_changed_fields(
    before: Lines, after: Lines, changed: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Yield the changed fields of loans that are in both files, some thousand loans at a time.

    Shape:  a row for each field that differs: `before`, `after` (the rows), `uli` (the latter),
    `field`, `was`, `now`; loans in file order, fields as in the record.
    """
    for pairs in changed.iter_slices(CHUNK_ROWS):
        old = before.loans(pairs["before"].to_numpy())
        new = after.loans(pairs["after"].sort().to_numpy())
        new = pairs.select(row="after").join(new, on="row", how="left", maintain_order="left")
        old_values, new_values = (
            side.with_row_index("at").unpivot(NAMES, index="at", variable_name="field")
            for side in (old, new)
        )
        ulis = pairs.select("before", "after", uli=new["uli"]).with_row_index("at")
        differing = old_values.with_columns(now=new_values["value"]).filter(
            pl.col("value") != pl.col("now")
        )
        yield (
            differing.join(ulis, on="at", how="left")
            .sort("at", maintain_order=True)
            .select("before", "after", "uli", "field", was="value", now="now")
        )


def read_loans(lines: Lines, rows: pl.Series) -> Iterator[pl.DataFrame]:
    """Yield `row` and the fields of some loans, ascending, some thousand at a time."""
    for start in range(0, len(rows), CHUNK_ROWS):
        yield lines.loans(rows[start : start + CHUNK_ROWS].to_numpy())


def _unmatched(loans: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Return the loans of one file without those that are identical in the other."""
    loans, others = _numbered(loans, "line"), _numbered(others, "line")
    unmatched = loans.join(others, on=["line", "number"], how="anti", maintain_order="left")
    return unmatched.drop("number")


def _numbered(loans: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return the loans, numbered among those with the same value of a column, in file order."""
    # Most values occur once, and counting within a window is slow.
    duplicates = loans.filter(pl.col(column).is_duplicated()).select(
        "row", number=pl.int_range(pl.len(), dtype=pl.UInt32).over(column)
    )
    numbered = loans.join(duplicates, on="row", how="left", maintain_order="left")
    return numbered.with_columns(pl.col("number").fill_null(0))


def _repeated(loans: pl.DataFrame) -> pl.Series:
    keys = loans["key"].filter(loans["key"] != 0)
    return keys.filter(keys.is_duplicated()).unique()
