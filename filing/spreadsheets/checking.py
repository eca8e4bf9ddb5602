"""The edits on the records that were made, by the same engine as a check of a file."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from filing.edits import catalogue, engine
from filing.edits.edit import EditKind, EditNeed
from filing.edits.engine import CheckReport, EditOutcome
from filing.edits.facts import EditFacts
from filing.lar.blocks import MAX_LINE_BYTES, read_blocks
from filing.lar.cutting import Rows, cut_block, cut_lines
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.formats import convert_types, find_unreadable
from filing.lar.years import Period, rulebook_period
from filing.reference.census import Census

_NOT_HERE = {EditNeed.INSTITUTION: "it compares with the panel, which is done when you file"}
_UNREAD_RECORDS = "it compares all records, and some cannot be read"
_SHEET_ERRORS = "the transmittal sheet cannot be read"
MISFITS = {"row": pl.UInt32, "field_count": pl.Int32, "too_long": pl.Boolean}
_ROW = {"row": pl.UInt32}


@dataclass(frozen=True, slots=True)
class MadeRecords:
    """The records of a file.

    loans: `row` (from 1) and a text column for each field. misfits: `row`, `field_count` and
    `too_long` of lines that cannot be cut into fields. blank_ends: rows of loans that end in a
    blank field, so that their lines cannot be read. sheet: the same as loans, of the transmittal
    sheet as row 0; no row if it cannot be cut.
    """

    loans: pl.DataFrame
    misfits: pl.DataFrame
    blank_ends: pl.Series
    sheet: pl.DataFrame


@dataclass(frozen=True, slots=True)
class CheckedRecords:
    """Format errors and edits of a file.

    unread, sheet_unread: the rows with a value that cannot be read, by field. report: the outcome
    of each edit.
    """

    unread: dict[str, pl.Series]
    sheet_unread: dict[str, pl.Series]
    report: CheckReport
    _listed: Rows
    _missing: dict[EditNeed, str]

    @property
    def not_run(self) -> list[tuple[str, str]]:
        """The edits that did not run, each with its reason."""
        return [
            (outcome.edit.code, self._reason(outcome))
            for outcome in self.report.outcomes
            if not outcome.run
        ]

    def _reason(self, outcome: EditOutcome) -> str:
        reason = outcome.reason
        for need, text in self._missing.items():
            reason = reason.replace(need.value, text)
        return reason

    def failing(self, at: int) -> Rows:
        """Return the rows on which the edit at a position failed; 0 is the transmittal sheet."""
        outcome = self.report.outcomes[at]
        return self._listed[outcome.position : outcome.position + outcome.listed]


def make_records(loans: pl.DataFrame, sheet: dict[str, str]) -> MadeRecords:
    """Return the records of a frame of texts, one column for each field of loans.

    sheet: the transmittal sheet by field name.
    """
    rows = pl.int_range(1, loans.height + 1, dtype=pl.UInt32, eager=True).alias("row")
    size = loans.select(bytes=pl.sum_horizontal(pl.all().str.len_bytes()) + loans.width - 1)
    misfits = rows.filter(size["bytes"] > MAX_LINE_BYTES).to_frame()
    return MadeRecords(
        loans.insert_column(0, rows),
        misfits.select("row", field_count=pl.lit(0, pl.Int32), too_long=pl.lit(True)),
        rows.filter(loans[LAR[-1].name] == ""),
        pl.DataFrame(
            {"row": [0], **{name: [text] for name, text in sheet.items()}}, schema_overrides=_ROW
        ),
    )


def read_records(path: Path) -> MadeRecords:
    """Return the records of a pipe file, as the parser reads them.

    Raises: NotText, naming the first line that is not UTF-8.
    """
    loans = [pl.DataFrame(schema={**_ROW, **{field.name: pl.String() for field in LAR}})]
    misfits = [pl.DataFrame(schema=MISFITS)]
    first = b""
    with path.open("rb") as file:
        for block in read_blocks(file):
            if block.row == 0:
                first = block.first_line
            lines = cut_block(block)
            loans.append(lines.loans)
            misfits.append(lines.misfits)
    sheet = cut_lines(
        first + b"\n", np.zeros(1, np.uint32), np.array([len(first)]), TRANSMITTAL_SHEET
    )
    return MadeRecords(
        pl.concat(loans),
        pl.concat([sheet.misfits, *misfits]),
        pl.Series("row", [], pl.UInt32),
        sheet.loans,
    )


def check_records(
    path: Path, period: Period, records: MadeRecords, *, census: Census | None
) -> CheckedRecords:
    """Run the edits of a period, without macro edits, over a file that has these records."""
    unread = find_unreadable(records.loans)
    sheet_unread = find_unreadable(records.sheet, TRANSMITTAL_SHEET)
    sheet = None
    if records.sheet.height and not sheet_unread:
        sheet = convert_types(records.sheet, TRANSMITTAL_SHEET).drop("row").row(0, named=True)
    faulty = [records.misfits["row"], records.blank_ends, *unread.values()]
    if sheet is None:
        faulty.append(pl.Series("row", [0], pl.UInt32))
    rows = np.unique(np.concatenate([one.to_numpy() for one in faulty]).astype(np.uint32))
    edits = [
        edit
        for edit in catalogue.list_edits(rulebook_period(period))
        if edit.kind is not EditKind.MACRO
    ]
    with tempfile.TemporaryFile() as findings:
        facts = EditFacts(period, sheet, census=census)
        report = engine.run_edits(path, facts, findings, edits=edits, unreadable=rows)
        findings.seek(0)
        missing = {**_NOT_HERE, EditNeed.OTHER_ROWS: _UNREAD_RECORDS}
        if records.sheet.height:
            missing[EditNeed.TS] = _SHEET_ERRORS
        return CheckedRecords(
            unread, sheet_unread, report, np.frombuffer(findings.read(), "<u4"), missing
        )
