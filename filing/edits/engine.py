"""Running edits: over records in memory, or over a whole file in one pass.

Only the row number of a failure is stored, in four bytes; a page of findings reads the values of
its rows from the file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from filing.edits import catalogue
from filing.edits.edit import Edit, EditLevel, EditNeed
from filing.edits.facts import EditFacts
from filing.edits.whole_file import EditPass, FileFigures, FileVerdict, RowNumberFile
from filing.lar.blocks import BLOCK_BYTES, Block, read_blocks
from filing.lar.cutting import Rows, cut_block
from filing.lar.fields import TRANSMITTAL_SHEET, records_in
from filing.lar.formats import convert_types
from filing.lar.prefetch import prefetch_items

_SHEET_ROW = pl.Series("row", [0], dtype=pl.UInt32)
NO_ROWS: Rows = np.empty(0, np.uint32)


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """The result of one edit on a file.

    total: the records that fail; 1 for an edit of the file that fails. position, listed: which of
    the row numbers in the findings file belong to it: for an edit of loans or of the transmittal
    sheet (row 0) the failing rows, ascending; for one about repeated loans all of them, those of
    the same loan together and in file order: neighbors with the same ULI belong together. figures:
    the counts of an edit of the file, by name; `expected` holds the values of the panel if the
    transmittal sheet is compared with it. reason: why the edit did not run.
    """

    edit: Edit
    total: int = 0
    position: int = 0
    listed: int = 0
    figures: dict[str, Any] = field(default_factory=dict)
    reason: str = ""

    @property
    def run(self) -> bool:
        """Whether the edit ran; one that did not has neither passed nor failed."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The outcome of every edit of the period, in the order of the catalogue; loans: how many."""

    loans: int
    outcomes: tuple[EditOutcome, ...]


def find_ready_edits(
    edits: Iterable[Edit], facts: EditFacts, *, whole_file: bool = False
) -> tuple[list[Edit], dict[Edit, str]]:
    """Return the edits that can run with these facts, and why each of the others cannot.

    whole_file: whether all rows of a file are available, not only some.
    """
    reasons = {edit: facts.lacks(edit, whole_file=whole_file) for edit in edits}
    runnable = [edit for edit, reason in reasons.items() if not reason]
    return runnable, {edit: reason for edit, reason in reasons.items() if reason}


def find_failures(
    loans: pl.DataFrame, edits: Sequence[Edit], facts: EditFacts
) -> dict[Edit, pl.Series]:
    """Return, for each edit that fails on some loan, the rows on which it does.

    Shape:  loans is a typed frame with `row`; the edits are edits of loans, and ready.
    Raises: ValueError, naming the edits that gave no verdict on some row.
    """
    checked = EditPass(edits, facts)
    return dict(checked.failing(checked.over(loans), loans["row"]))


def check_transmittal_sheet(
    sheet: pl.DataFrame, edits: Sequence[Edit], facts: EditFacts
) -> tuple[Edit, ...]:
    """Return the edits that fail on a transmittal sheet.

    Shape:  sheet is a typed frame of one; the edits are edits of it, and ready.
    Raises: ValueError, naming the edits that gave no verdict.
    """
    checked = EditPass(edits, facts)
    return tuple(edit for edit, _ in checked.failing(checked.over(sheet), _SHEET_ROW))


def run_edits(
    path: Path,
    facts: EditFacts,
    findings: BinaryIO,
    *,
    edits: Sequence[Edit] | None = None,
    unreadable: Rows = NO_ROWS,
    block_bytes: int = BLOCK_BYTES,
    progress: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Run every edit of the period over a file, and write the row numbers of all failures.

    Row numbers are little-endian uint32, edit after edit. edits: a selection of those of the
    period, or None for all. unreadable: the rows with format errors, which are left out; then the
    edits of the file as a whole do not run, nor those of a transmittal sheet that could not be
    read. `progress` receives the lines and bytes done. Memory is bounded.
    Raises: ValueError, naming the edits that gave no verdict, or a line with format errors that is
    not among the unreadable.
    """
    selected = catalogue.list_edits(facts.rules) if edits is None else tuple(edits)
    runnable, reasons = find_ready_edits(selected, facts, whole_file=not unreadable.size)
    if facts.transmittal_sheet is None:
        reasons |= dict.fromkeys(_of(EditLevel.TS, runnable), EditNeed.TS.value)
    with (
        path.open("rb") as file,
        tempfile.TemporaryFile() as spilled,
        FileFigures(_of(EditLevel.FILE, runnable), facts) as whole,
    ):
        spill = RowNumberFile(spilled)
        if facts.transmittal_sheet is not None:
            sheet = _sheet(facts.transmittal_sheet)
            for edit in check_transmittal_sheet(sheet, _of(EditLevel.TS, runnable), facts):
                spill.add(edit, _SHEET_ROW)
        checked = EditPass(_of(EditLevel.LAR, runnable), facts, also=whole.columns())
        lines = 0
        for block, loans in _read_loans(file, unreadable, size=block_bytes):
            results = checked.over(loans)
            for edit, rows in checked.failing(results, loans["row"]):
                spill.add(edit, rows)
            whole.add(results, block.offsets)
            lines += len(block.offsets)
            if progress:
                progress(lines, block.position)
        verdicts = whole.verdicts(file)
        for edit, verdict in verdicts.items():
            for rows in verdict.repeats:
                spill.add(edit, rows)
        outcomes = tuple(
            _outcome(edit, verdicts.get(edit), spill.write(edit, findings), reasons, facts)
            for edit in selected
        )
    return CheckReport(records_in(lines), outcomes)


def _read_loans(
    file: BinaryIO, unreadable: Rows, *, size: int
) -> Iterator[tuple[Block, pl.DataFrame]]:
    """Yield the blocks of a file, each with its typed loans, without those that are unreadable.

    Raises: ValueError, naming another line that does not have the fields of a loan.
    """

    def typed(block: Block) -> pl.DataFrame:
        lines = cut_block(block)
        loans, misfits = lines.loans, lines.misfits
        # Those of this block alone: with all of them, the cost of a file grows with its square.
        rows = np.array([block.row, block.row + len(block.offsets)], np.uint32)
        first, stop = np.searchsorted(unreadable, rows)
        if first < stop:
            here = pl.Series(unreadable[first:stop], dtype=pl.UInt32).implode()
            is_readable = ~pl.col("row").is_in(here)
            loans, misfits = loans.filter(is_readable), misfits.filter(is_readable)
        if misfits.height:
            raise ValueError(f"Line {misfits['row'][0] + 1} does not have the fields of a loan.")
        return convert_types(loans)

    yield from prefetch_items((block, typed(block)) for block in read_blocks(file, size=size))


def _sheet(values: Mapping[str, str | int]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            field.name: pl.Series([values[field.name]], dtype=field.dtype)
            for field in TRANSMITTAL_SHEET
        }
    )


def _of(level: EditLevel, edits: Iterable[Edit]) -> list[Edit]:
    return [edit for edit in edits if edit.level is level]


def _outcome(
    edit: Edit,
    verdict: FileVerdict | None,
    rows: tuple[int, int],
    reasons: Mapping[Edit, str],
    facts: EditFacts,
) -> EditOutcome:
    position, listed = rows
    figures: dict[str, Any] = dict(verdict.figures) if verdict else {}
    if EditNeed.INSTITUTION in edit.needs and edit not in reasons:
        figures["expected"] = facts.expected()
    total = int(not verdict.holds) if verdict else listed
    return EditOutcome(edit, total, position, listed, figures, reasons.get(edit, ""))
