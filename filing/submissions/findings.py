"""Reads single findings: the records of one edit or the formatting errors, as a page or as CSV.

Only row numbers are stored for findings. A page seeks its twenty lines in the uploaded file and
reads the values there, so every page of every file takes the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from django.db.models import Q, QuerySet

from filing import storage
from filing.edits import catalogue, check, details
from filing.edits.edit import Kind
from filing.lar.cutting import Rows
from filing.lar.errors import LineErrors, line_errors
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME
from filing.lar.lines import Lines
from filing.models import EditResult, Submission
from filing.requests.pagination import Page
from filing.submissions import removed_files

CHUNK_ROWS = 2_000  # lines with formatting errors read at a time for a CSV


@dataclass(frozen=True)
class EditRow:
    """One record that triggered an edit, with the values of the edit's fields, as filed."""

    id: str
    line: int
    fields: list[tuple[str, str]] = field(default_factory=list)


def row_numbers(name: str, start: int, count: int) -> list[int]:
    """Return stored row numbers (little-endian uint32), from a position in their file."""
    with storage.local(name).open("rb") as file:
        file.seek(4 * start)
        return np.frombuffer(file.read(4 * count), dtype="<u4").tolist()


def lines_of(submission: Submission) -> Lines:
    """Return the lines of the file, to be read by row number.

    Raises: NotFound if it was removed under a retention rule.
    """
    removed_files.require_present(submission)
    return Lines(
        storage.local(submission.raw_file),
        storage.local(f"{submission.parse_folder}/{storage.OFFSETS}"),
    )


# --- formatting errors -------------------------------------------------------------------------


def format_errors(submission: Submission, page: Page) -> list[LineErrors]:
    """Return the lines on a page of formatting errors, the transmittal sheet first."""
    return _format_errors(submission, page.start, page.count) if page.count else []


def every_format_error(submission: Submission) -> Iterator[LineErrors]:
    """Yield the lines with formatting errors, in file order."""
    for start in range(0, submission.format_errors, CHUNK_ROWS):
        count = min(CHUNK_ROWS, submission.format_errors - start)
        yield from _format_errors(submission, start, count)


def _format_errors(submission: Submission, start: int, count: int) -> list[LineErrors]:
    removed_files.require_present(submission)
    rows = row_numbers(f"{submission.parse_folder}/{storage.BAD_ROWS}", start, count)
    return errors_of(submission, rows)


def errors_of(submission: Submission, rows: list[int]) -> list[LineErrors]:
    """Return the formatting errors of some lines, given by row."""
    with lines_of(submission) as lines:
        return line_errors(rows, lines.read(rows))


# --- edits -------------------------------------------------------------------------------------


def results_of(submission: Submission, code: str) -> list[EditResult]:
    """Return the results of an edit, which may have a part for the sheet and one for records.

    The part for the transmittal sheet comes first, as in the file.
    """
    parts = EditResult.objects.filter(submission=submission, code=code, total__gt=0)
    return sorted(parts, key=lambda part: part.level != "ts")


def reason_not_run(submission: Submission, code: str) -> str | None:
    """Return why an edit was not run on a submission; None if it was."""
    results = EditResult.objects.not_run_only().filter(submission=submission, code=code)
    return results.values_list("not_run", flat=True).first()


def total(parts: list[EditResult]) -> int:
    """Return how many records the detail of an edit has; macro edits have none."""
    return sum(part.total for part in parts if part.kind != "macro")


def edit_rows(submission: Submission, parts: list[EditResult], page: Page) -> list[EditRow]:
    """Return the records on a page of the detail of an edit, in file order."""
    if not total(parts):
        return []
    with lines_of(submission) as lines:
        return _page_of(submission, lines, _findings_rows(submission), parts, page)


def first_rows(
    submission: Submission, edits: Iterable[list[EditResult]], most: int
) -> Iterator[list[EditRow]]:
    """Yield the first records of each of several edits, given by their parts."""
    findings_rows = _findings_rows(submission)
    with lines_of(submission) as lines:
        for parts in edits:
            yield _page_of(submission, lines, findings_rows, parts, Page(1, total(parts), most))


def _page_of(
    submission: Submission, lines: Lines, findings_rows: Rows, parts: list[EditResult], page: Page
) -> list[EditRow]:
    rows: list[EditRow] = []
    start, remaining = page.start, page.count
    for part in parts:
        if part.kind == "macro" or remaining <= 0:
            continue
        count = max(0, min(remaining, part.total - start))
        if count:
            at = part.position + start
            rows += _rows(submission, lines, part, findings_rows[at : at + count].tolist())
        start, remaining = max(0, start - part.total), remaining - count
    return rows


def detail(submission: Submission, parts: list[EditResult]) -> str:
    """Return what a macro edit computed, in a sentence; blank for any other edit."""
    return " ".join(details.computed(_part(submission, part)) for part in parts).strip()


def csv(submission: Submission, parts: Iterable[EditResult], *, detailed: bool) -> Iterator[bytes]:
    """Yield findings as CSV, by kind; macro edits, and edits not run, have no record."""
    yield details.csv_header(detailed=detailed)
    for table in tables(submission, parts, detailed=detailed):
        yield table.write_csv(include_header=False).encode()


def tables(
    submission: Submission, parts: Iterable[EditResult], *, detailed: bool
) -> Iterator[pl.DataFrame]:
    """Yield findings as tables with the columns of the CSV; edits that were not run come last."""
    order = {kind.value: position for position, kind in enumerate(Kind)}
    results = sorted(parts, key=lambda r: (order[r.kind], r.code, r.level != "ts"))
    unrun = [(result.code, result.not_run) for result in results if result.not_run]
    detail_parts = [_part(submission, result) for result in results if result.total]
    if detail_parts:  # without any, there may be no file
        with lines_of(submission) as lines:
            yield from details.tables(lines, detail_parts, lei=submission.lei, detailed=detailed)
    if unrun:
        yield details.table_of_unrun(unrun, detailed=detailed)


def every_result(submission: Submission) -> QuerySet[EditResult]:
    """Return the results of all edits that were triggered, or not run."""
    results = EditResult.objects.filter(submission=submission)
    return results.filter(Q(total__gt=0) | ~Q(not_run=""))


def _part(submission: Submission, result: EditResult) -> details.Part:
    edit = catalogue.find(result.code, submission.rules_period, result.level)
    rows = np.empty(0, np.uint32)
    if result.listed:
        rows = _findings_rows(submission)[result.position : result.position + result.listed]
    return details.Part(edit, rows, result.figures)


def _findings_rows(submission: Submission) -> Rows:
    """Return the row numbers of all findings, read from disk only where they are used."""
    removed_files.require_present(submission)
    return check.stored_rows(storage.local(f"{submission.edits_folder}/{storage.FINDINGS}"))


def _rows(submission: Submission, lines: Lines, part: EditResult, rows: list[int]) -> list[EditRow]:
    edit = catalogue.find(part.code, submission.rules_period, part.level)
    if part.level == "file":
        fields = details.whole_file(lines, _part(submission, part))
        return [EditRow(submission.lei, 1, fields)]
    labels = TS_BY_NAME if part.level == "ts" else LAR_BY_NAME
    key = "lei" if part.level == "ts" else "uli"
    values = lines.fields(rows, (key, *edit.fields))
    names = [labels[name].label for name in edit.fields]
    records = [
        EditRow(id=record[0], line=row + 1, fields=list(zip(names, record[1:], strict=True)))
        for row, record in zip(rows, values, strict=True)
    ]
    expected = part.figures.get("expected")
    return [_beside(record, edit.fields, expected) for record in records] if expected else records


def _beside(row: EditRow, names: Iterable[str], expected: Mapping[str, object]) -> EditRow:
    """Return a record with the expected values beside its own."""
    fields = [
        (label, details.with_expected(value, expected.get(name)))
        for name, (label, value) in zip(names, row.fields, strict=True)
    ]
    return replace(row, fields=fields)
