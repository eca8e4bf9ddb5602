"""Reads of single findings: the rows of one edit, the format errors of a file; a page, or a CSV.

Nothing but row numbers was kept of a finding. A page seeks its twenty lines in the file as it was
uploaded and reads the values there, so it costs the same at any depth of any file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from django.db.models import QuerySet

from filing import storage
from filing.edits import catalogue, check, details
from filing.edits.edit import Kind
from filing.lar.cutting import Rows
from filing.lar.errors import LineErrors, line_errors
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME
from filing.lar.lines import Lines
from filing.models import EditResult, Submission
from filing.requests.pagination import Page

CHUNK_ROWS = 2_000  # lines with format errors read at a time for a CSV


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
    return errors_of(submission, rows)


def errors_of(submission: Submission, rows: list[int]) -> list[LineErrors]:
    """Return the format errors of some lines, given by row."""
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
    if not total(parts):
        return []
    with lines_of(submission) as lines:
        return _page_of(submission, lines, _stored(submission), parts, page)


def first_rows(
    submission: Submission, edits: Iterable[list[EditResult]], most: int
) -> Iterator[list[EditRow]]:
    """Yield the first records of each of several edits, each given by its parts."""
    stored = _stored(submission)
    with lines_of(submission) as lines:
        for parts in edits:
            yield _page_of(submission, lines, stored, parts, Page(1, total(parts), most))


def _page_of(
    submission: Submission, lines: Lines, stored: Rows, parts: list[EditResult], page: Page
) -> list[EditRow]:
    found: list[EditRow] = []
    start, wanted = page.start, page.count
    for part in parts:
        if part.kind == "macro" or wanted <= 0:
            continue
        here = max(0, min(wanted, part.total - start))
        if here:
            at = part.position + start
            found += _rows(submission, lines, part, stored[at : at + here].tolist())
        start, wanted = max(0, start - part.total), wanted - here
    return found


def detail(submission: Submission, parts: list[EditResult]) -> str:
    """Return what a macro edit computed, in a sentence; nothing of any other edit."""
    return " ".join(details.computed(_part(submission, part)) for part in parts).strip()


def csv(submission: Submission, parts: Iterable[EditResult], *, detailed: bool) -> Iterator[bytes]:
    """Yield findings as CSV, kind after kind, macro edits last without a record."""
    yield details.csv_header(detailed=detailed)
    for table in tables(submission, parts, detailed=detailed):
        yield table.write_csv(include_header=False).encode()


def tables(
    submission: Submission, parts: Iterable[EditResult], *, detailed: bool
) -> Iterator[pl.DataFrame]:
    """Yield the same as tables with the columns of the CSV."""
    order = {kind.value: place for place, kind in enumerate(Kind)}
    results = sorted(parts, key=lambda r: (order[r.kind], r.code, r.level != "ts"))
    found = [_part(submission, result) for result in results]
    if not found:  # nor a file, perhaps
        return
    with lines_of(submission) as lines:
        yield from details.tables(lines, found, lei=submission.lei, detailed=detailed)


def every_result(submission: Submission) -> QuerySet[EditResult]:
    """Return what was found by each edit that fired."""
    return EditResult.objects.filter(submission=submission, total__gt=0)


def _part(submission: Submission, result: EditResult) -> details.Part:
    edit = catalogue.find(result.code, submission.period, result.level)
    rows = np.empty(0, np.uint32)
    if result.listed:
        rows = _stored(submission)[result.position : result.position + result.listed]
    return details.Part(edit, rows, result.figures)


def _stored(submission: Submission) -> Rows:
    """Return the row numbers of all that was found, to be read from disk where they are used."""
    return check.stored_rows(storage.local(f"{submission.edits_folder}/{storage.FINDINGS}"))


def _rows(submission: Submission, lines: Lines, part: EditResult, rows: list[int]) -> list[EditRow]:
    edit = catalogue.find(part.code, submission.period, part.level)
    if part.level == "file":
        told = details.whole_file(lines, _part(submission, part))
        return [EditRow(submission.lei, 1, told)]
    labels = TS_BY_NAME if part.level == "ts" else LAR_BY_NAME
    key = "lei" if part.level == "ts" else "uli"
    values = lines.fields(rows, (key, *edit.fields))
    shown = [labels[name].label for name in edit.fields]
    found = [
        EditRow(id=record[0], line=row + 1, fields=list(zip(shown, record[1:], strict=True)))
        for row, record in zip(rows, values, strict=True)
    ]
    expected = part.figures.get("expected")
    return [_beside(row, edit.fields, expected) for row in found] if expected else found


def _beside(row: EditRow, names: Iterable[str], expected: Mapping[str, object]) -> EditRow:
    """Return a record whose values stand beside what they were compared with."""
    fields = [
        (label, details.beside(value, expected.get(name)))
        for name, (label, value) in zip(names, row.fields, strict=True)
    ]
    return replace(row, fields=fields)
