"""Checks of a file on the local disk: format errors, and the edits of its period."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from filing.edits import details, engine
from filing.edits.details import EditFindings
from filing.edits.edit import Edit, EditKind
from filing.edits.engine import CheckReport, EditOutcome
from filing.edits.facts import EditFacts
from filing.lar import parser
from filing.lar.cutting import Rows
from filing.lar.errors import LineErrors
from filing.lar.lines import Lines
from filing.lar.parser import FileScan, FormatErrors, Scan
from filing.lar.years import Period
from filing.reference.census import Census

_PIECE_ITEMS = 100


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file, its format errors, and its findings, for as long as the check is open."""

    report: CheckReport
    _errors: FormatErrors
    _findings: Rows

    @property
    def scan(self) -> Scan:
        """The contents of the file in figures."""
        return self._errors.scan

    @property
    def lines(self) -> Lines:
        """The lines of the file."""
        return self._errors.lines

    def format_errors(self) -> Iterator[LineErrors]:
        """Yield the lines with format errors, in file order."""
        yield from self._errors

    def triggered(self, *kinds: EditKind) -> list[EditOutcome]:
        """Return the edits that were triggered, of some kinds or of all, in catalogue order."""
        return [o for o in self.report.outcomes if o.total and (not kinds or o.edit.kind in kinds)]

    def not_run(self) -> list[EditOutcome]:
        """Return the edits that did not run, each with its reason."""
        return [outcome for outcome in self.report.outcomes if not outcome.run]

    def part(self, outcome: EditOutcome) -> EditFindings:
        """Return the findings of one edit, with their rows."""
        stop = outcome.position + outcome.listed
        return EditFindings(outcome.edit, self._findings[outcome.position : stop], outcome.figures)

    def parts(self) -> list[EditFindings]:
        """Return the findings of each edit that was triggered."""
        return [self.part(outcome) for outcome in self.triggered()]


@contextmanager
def check_file(
    path: Path,
    period: Period,
    *,
    census: Census | None = None,
    edits: Sequence[Edit] | None = None,
) -> Iterator[CheckedFile]:
    """Check a file by the edits of a period, or by some of them.

    Edits that compare with the panel do not run; those of the census run only with a census. Rows
    with format errors are left out, and then no edit of the whole file runs.
    Raises: NotText, naming the first line that is not UTF-8.
    """
    with tempfile.TemporaryDirectory(prefix="check-") as folder:
        rows = Path(folder, "found")
        report = None

        def scan(path: Path, offsets: BinaryIO, bad_rows: BinaryIO) -> Scan:
            nonlocal report
            with rows.open("wb") as findings:
                contents, report = engine.check_lines(
                    path,
                    FileScan(offsets, bad_rows),
                    findings,
                    lambda sheet: EditFacts(period, sheet, census=census),
                    edits=edits,
                )
            return contents

        with parser.read_format_errors(path, scan) as errors:
            assert report is not None
            yield CheckedFile(report, errors, read_stored_rows(rows))


def read_stored_rows(path: Path) -> Rows:
    """Return the row numbers of a findings file, mapped from disk."""
    if not path.stat().st_size:
        return np.empty(0, np.uint32)
    return np.memmap(path, "<u4", mode="r")


def stream_csv(checked: CheckedFile) -> Iterator[bytes]:
    """Yield the findings as CSV, lines with format errors first (`details`)."""
    sheet = checked.scan.transmittal_sheet or {}
    lei = str(sheet.get("lei", ""))
    yield details.format_csv_header(detailed=True)
    for piece in details.stream_format_errors_csv(checked.format_errors()):
        yield piece.encode()
    for table in details.stream_findings_tables(
        checked.lines, checked.parts(), lei=lei, detailed=True
    ):
        yield table.write_csv(include_header=False).encode()
    if unrun := [(outcome.edit.code, outcome.reason) for outcome in checked.not_run()]:
        yield (
            details.tabulate_unrun_edits(unrun, detailed=True)
            .write_csv(include_header=False)
            .encode()
        )


def stream_json_members(checked: CheckedFile) -> Iterator[str]:
    """Yield the members `parserErrors` and `validationErrors` of a JSON object, in pieces."""
    yield '"parserErrors": ['
    yield from stream_format_errors_json(checked.format_errors())
    yield '], "validationErrors": ['
    yield from _listed(details.stream_json_by_row(checked.lines, checked.parts()))
    yield "]"


def stream_format_errors_json(errors: Iterable[LineErrors]) -> Iterator[str]:
    """Yield lines with format errors as the items of a JSON array, in pieces."""
    yield from _listed(json.dumps(_error(error)) for error in errors)


def _listed(items: Iterator[str]) -> Iterator[str]:
    """Yield the items of a JSON array, some at a time: each piece of an answer costs by itself."""
    separator = ""
    while piece := ", ".join(islice(items, _PIECE_ITEMS)):
        yield separator + piece
        separator = ", "


def _error(errors: LineErrors) -> dict[str, object]:
    return {
        "rowNumber": errors.line,
        "estimatedULI": errors.estimated_uli,
        "errorMessages": [
            {"fieldName": m.field, "inputValue": m.value, "validValues": m.accepts}
            for m in errors.messages
        ],
    }
