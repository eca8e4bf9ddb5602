"""Reads of single findings: the rows of one edit, the format errors of a file; a page, or a CSV.

Nothing but row numbers was kept of a finding. A page seeks its twenty lines in the file as it was
uploaded and reads the values there, so it costs the same at any depth of any file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from filing import storage
from filing.edits import catalogue
from filing.edits.edit import Edit, Kind
from filing.lar.errors import LineErrors, line_errors
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME, WHOLE_ROW_LABEL
from filing.lar.lines import Lines
from filing.models import EditResult, Submission
from filing.pagination import Page

CHUNK_ROWS = 2_000  # rows read at a time for a CSV
LISTED_LINES = 1_000  # line numbers shown for a whole-file edit on a page; the CSV has them all


@dataclass(frozen=True)
class EditRow:
    """One record that an edit found, with the values the edit looked at, as filed."""

    id: str
    line: int
    fields: list[tuple[str, str]] = field(default_factory=list)


def row_numbers(name: str, start: int, count: int) -> list[int]:
    """Return row numbers that were stored as little-endian uint32, from a place in their file."""
    with storage.local(name).open("rb") as file:
        file.seek(4 * start)
        return np.frombuffer(file.read(4 * count), dtype="<u4").tolist()


def lines_of(submission: Submission) -> Lines:
    """Return the lines of the file, to be read by row number."""
    return Lines(
        storage.local(submission.raw_file),
        storage.local(f"{submission.parse_folder}/{storage.OFFSETS}"),
    )


# --- format errors -----------------------------------------------------------------------------


def format_errors(submission: Submission, page: Page) -> list[LineErrors]:
    """Return the lines of a page of format errors, the transmittal sheet first."""
    return _format_errors(submission, page.start, page.count) if page.count else []


def every_format_error(submission: Submission) -> Iterator[LineErrors]:
    """Return the lines with format errors one after the other, in file order."""
    for start in range(0, submission.format_errors, CHUNK_ROWS):
        count = min(CHUNK_ROWS, submission.format_errors - start)
        yield from _format_errors(submission, start, count)


def _format_errors(submission: Submission, start: int, count: int) -> list[LineErrors]:
    rows = row_numbers(f"{submission.parse_folder}/{storage.BAD_ROWS}", start, count)
    with lines_of(submission) as lines:
        return line_errors(rows, lines.read(rows))


# --- edits -------------------------------------------------------------------------------------


def results_of(submission: Submission, code: str) -> list[EditResult]:
    """Return what an edit found: of one code there may be a part for the sheet and one for loans.

    The transmittal sheet's part comes first, as in the file.
    """
    parts = EditResult.objects.filter(submission=submission, code=code, total__gt=0)
    return sorted(parts, key=lambda part: part.level != "ts")


def total(parts: list[EditResult]) -> int:
    """Return how many records an edit has in its detail; macro edits have none."""
    return sum(part.total for part in parts if part.kind != "macro")


def edit_rows(submission: Submission, parts: list[EditResult], page: Page) -> list[EditRow]:
    """Return the records on a page of an edit's detail, in file order."""
    found: list[EditRow] = []
    start, wanted = page.start, page.count
    for part in parts:
        if part.kind == "macro" or wanted <= 0:
            continue
        here = max(0, min(wanted, part.total - start))
        if here:
            found += _rows(submission, part, start, here)
        start, wanted = max(0, start - part.total), wanted - here
    return found


def every_edit_row(submission: Submission) -> Iterator[tuple[EditResult, Edit, EditRow]]:
    """Return every finding of a submission, kind after kind, macro edits last without a record."""
    order = {kind.value: place for place, kind in enumerate(Kind)}
    results = EditResult.objects.filter(submission=submission, total__gt=0)
    for result in sorted(results, key=lambda r: (order[r.kind], r.code, r.level != "ts")):
        edit = catalogue.find(result.code, submission.period, result.level)
        if result.kind == "macro":
            yield result, edit, EditRow(id="", line=0)
            continue
        for start in range(0, result.total, CHUNK_ROWS):
            for row in _rows(submission, result, start, min(CHUNK_ROWS, result.total - start)):
                yield result, edit, row


def _rows(submission: Submission, part: EditResult, start: int, count: int) -> list[EditRow]:
    edit = catalogue.find(part.code, submission.period, part.level)
    if part.level == "file":
        return [EditRow(submission.lei, 1, _whole_file_fields(submission, part, edit))]
    labels = TS_BY_NAME if part.level == "ts" else LAR_BY_NAME
    key = "lei" if part.level == "ts" else "uli"
    findings = f"{submission.edits_folder}/{storage.FINDINGS}"
    rows = row_numbers(findings, part.position + start, count)
    with lines_of(submission) as lines:
        values = lines.fields(rows, (key, *edit.fields))
    expected = part.figures.get("expected", {})
    return [
        EditRow(
            id=record[0],
            line=row + 1,
            fields=[
                (labels[name].label, _beside(value, expected.get(name)))
                for name, value in zip(edit.fields, record[1:], strict=True)
            ],
        )
        for row, record in zip(rows, values, strict=True)
    ]


def _beside(provided: str, expected: object) -> str:
    return provided if expected is None else f"Provided: {provided}, Expected: {expected}"


def _whole_file_fields(
    submission: Submission, part: EditResult, edit: Edit
) -> list[tuple[str, str]]:
    """Return what an edit of the whole file counted, and the lines it lists, in words."""
    counted = [
        (label, str(part.figures[name]))
        for (code, name), label in _FIGURES.items()  # the database keeps figures in no order
        if code == part.code and name in part.figures
    ]
    return counted + _copies(submission, part, edit)


def _copies(submission: Submission, part: EditResult, edit: Edit) -> list[tuple[str, str]]:
    """Return the repeated loans: for each ULI the lines of its second and later copies."""
    if not part.listed:
        return []
    findings = f"{submission.edits_folder}/{storage.FINDINGS}"
    rows = row_numbers(findings, part.position, min(part.listed, LISTED_LINES))
    with lines_of(submission) as lines:
        ulis = [uli for (uli,) in lines.fields(rows, ("uli",))]
    name = LAR_BY_NAME[edit.fields[0]].label if edit.fields[0] in LAR_BY_NAME else WHOLE_ROW_LABEL
    copies = [
        (name, f"{uli}: lines {', '.join(str(row + 1) for _, row in group)}")
        for uli, group in groupby(zip(ulis, rows, strict=True), key=lambda pair: pair[0])
    ]
    if part.listed > LISTED_LINES:
        copies.append((name, f"and {part.listed - LISTED_LINES} further lines"))
    return copies


# What the figures of a whole-file edit are called; a figure that is not here is not shown.
_FIGURES = {
    ("S304", "reported"): "Entries Reported in Transmittal Sheet",
    ("S304", "found"): "Total Number of LARs Found in File",
}
