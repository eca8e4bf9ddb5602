"""Running edits: over records in memory, or over a whole file in one pass.

Only the row number of a failure is stored, in four bytes; a page of findings reads the values of
its rows from the file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
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
from filing.lar.cutting import Rows
from filing.lar.fields import records_in
from filing.lar.formats import Record
from filing.lar.parser import BlockLoans, FileScan, Scan, explained_encoding, read_loans
from filing.lar.prefetch import map_in_parallel

_SHEET_ROW = pl.Series("row", [0], dtype=pl.UInt32)
NO_ROWS: Rows = np.empty(0, np.uint32)

# What `EditPass` computes of some loans, and the rows on which edits fail.
Judgment = tuple[Any, list[tuple[Edit, pl.Series]]]


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


def check_record(record: Record, edits: Sequence[Edit], facts: EditFacts) -> tuple[Edit, ...]:
    """Return the edits that fail on a single loan or transmittal sheet.

    Shape:  the edits are edits of such a record, and ready.
    Raises: ValueError, naming the edits that gave no verdict.
    """
    return tuple(EditPass(edits, facts).over(record).failing)


class EditRun:
    """Edits over the loans of a file, block by block, in bounded memory.

    edits: a selection of those of the period, or None for all. open_files: closes what is stored.
    """

    def __init__(
        self, facts: EditFacts, edits: Sequence[Edit] | None, open_files: ExitStack
    ) -> None:
        self._facts = facts
        self._selected = catalogue.list_edits(facts.rules) if edits is None else tuple(edits)
        runnable, _ = find_ready_edits(self._selected, facts, whole_file=True)
        spilled = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the others
        self._spill = RowNumberFile(open_files.enter_context(spilled))
        self._figures = open_files.enter_context(FileFigures(_of(EditLevel.FILE, runnable), facts))
        if facts.transmittal_sheet is not None:
            of_sheet = _of(EditLevel.TS, runnable)
            for edit in check_record(facts.transmittal_sheet, of_sheet, facts):
                self._spill.add(edit, _SHEET_ROW)
        self._pass = EditPass(_of(EditLevel.LAR, runnable), facts, also=self._figures.columns())
        self.lines = 0

    def judge(self, loans: pl.DataFrame) -> Judgment:
        """Return the findings of the loans of a block, to be added; several threads may call it.

        Raises: ValueError, naming the edits that gave no verdict.
        """
        results = self._pass.over(loans)
        return results, list(self._pass.failing(results, loans["row"]))

    def add(self, judgment: Judgment, block: Block) -> None:
        """Add what was found in the next block."""
        results, failures = judgment
        for edit, rows in failures:
            self._spill.add(edit, rows)
        self._figures.add(results, block.offsets)
        self.lines += len(block.offsets)

    def report(self, file: BinaryIO, findings: BinaryIO, *, is_whole: bool) -> CheckReport:
        """Write the row numbers of all failures, and return the outcomes.

        is_whole: whether every line could be read. If not, the edits of the file as a whole do not
        run, nor those of a transmittal sheet that could not be read.
        """
        runnable, reasons = find_ready_edits(self._selected, self._facts, whole_file=is_whole)
        if self._facts.transmittal_sheet is None:
            reasons |= dict.fromkeys(_of(EditLevel.TS, runnable), EditNeed.TS.value)
        verdicts = self._figures.verdicts(file) if is_whole else {}
        for edit, verdict in verdicts.items():
            for rows in verdict.repeats:
                self._spill.add(edit, rows)
        outcomes = tuple(
            _outcome(edit, verdicts.get(edit), self._spill.write(edit, findings), self._facts)
            if edit not in reasons
            else EditOutcome(edit, reason=reasons[edit])
            for edit in self._selected
        )
        return CheckReport(records_in(self.lines), outcomes)


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
    with path.open("rb") as file, ExitStack() as open_files:
        run = EditRun(facts, edits, open_files)

        def judge(block: Block) -> tuple[Block, Judgment]:
            read = read_loans(block)
            # Of this block alone: with all of them, the cost of a file grows with its square.
            first, stop = np.searchsorted(unreadable, [block.row, block.row + len(block.offsets)])
            if (unknown := np.setdiff1d(read.faulty, unreadable[first:stop])).size:
                raise ValueError(f"Line {unknown[0] + 1} has format errors.")
            return block, run.judge(read.loans)

        for block, judgment in map_in_parallel(judge, read_blocks(file, size=block_bytes)):
            run.add(judgment, block)
            if progress:
                progress(run.lines, block.position)
        return run.report(file, findings, is_whole=not unreadable.size)


def check_lines(
    path: Path,
    scan: FileScan,
    findings: BinaryIO,
    find_facts: Callable[[Record | None], EditFacts | None],
    *,
    edits: Sequence[Edit] | None = None,
    ends_at_faults: bool = False,
) -> tuple[Scan, CheckReport | None]:
    """Read a file once, find its format errors, and run the edits of the period over the others.

    find_facts: called with the transmittal sheet, or None where it cannot be read; without facts no
    edits run. findings, edits: as in `run_edits`. ends_at_faults: whether no edits run once a line
    with format errors is found, so that there is no report.
    Raises: NotText, naming the first line that is not UTF-8; ValueError, naming the edits that gave
    no verdict.
    """
    with explained_encoding(path), path.open("rb") as file, ExitStack() as open_files:
        blocks = scan.begin(read_blocks(file))
        facts = None if ends_at_faults and scan.has_faults else find_facts(scan.sheet)
        run = EditRun(facts, edits, open_files) if facts else None

        def judge(block: Block) -> tuple[BlockLoans, Judgment | None]:
            read = read_loans(block)
            is_over = ends_at_faults and (scan.has_faults or read.faulty.size)
            return read, None if run is None or is_over else run.judge(read.loans)

        for read, judgment in map_in_parallel(judge, blocks):
            scan.add(read)
            if run and judgment:
                run.add(judgment, read.block)
        contents = scan.end()
        if run is None or (ends_at_faults and contents.bad):
            return contents, None
        return contents, run.report(file, findings, is_whole=not contents.bad)


def _of(level: EditLevel, edits: Iterable[Edit]) -> list[Edit]:
    return [edit for edit in edits if edit.level is level]


def _outcome(
    edit: Edit, verdict: FileVerdict | None, rows: tuple[int, int], facts: EditFacts
) -> EditOutcome:
    position, listed = rows
    figures: dict[str, Any] = dict(verdict.figures) if verdict else {}
    if EditNeed.INSTITUTION in edit.needs:
        figures["expected"] = facts.expected()
    total = int(not verdict.holds) if verdict else listed
    return EditOutcome(edit, total, position, listed, figures)
