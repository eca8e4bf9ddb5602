"""Comparisons of two submissions of an institution. Nothing here writes.

Those of large files are made by a job (`comparison_jobs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from django.db.models import QuerySet

from filing.errors import BadInput, NotReady
from filing.lar import comparison as registers
from filing.lar.blocks import NotText
from filing.lar.fields import LAR_BY_NAME, TRANSMITTAL_SHEET
from filing.lar.formulas import guard_column
from filing.models import EditResult, Submission
from filing.submissions import downloads, findings, removed_files

MOST_CHOICES = 100
MAX_LISTED = 100  # records of each kind on a page; the CSV has all
MAX_LINES_AT_ONCE = 20_000  # of both files; larger ones are compared by a job, on request
MAX_COUNTED = 20_000  # changed records whose fields are counted on a page
CSV_HEADER = ("change", "uli", "lineBefore", "lineAfter", "field", "before", "after")
_LABELS = {name: field.label for name, field in LAR_BY_NAME.items()}


@dataclass(frozen=True)
class Loan:
    """A record that only one of the files has."""

    line: int
    uli: str
    amount: str
    action_taken: str


@dataclass(frozen=True)
class FieldChange:
    """A field of a record, or of the transmittal sheet, that differs in the later file."""

    label: str
    was: str
    now: str


@dataclass(frozen=True)
class LoanChange:
    """A record that both files have, with the fields that differ."""

    uli: str
    line_before: int
    line_after: int
    fields: list[FieldChange]


@dataclass(frozen=True)
class EditCountChange:
    """An edit with the number of records that triggered it in the earlier and the later file."""

    code: str
    kind: str
    was: int
    now: int

    @property
    def what(self) -> str:
        if not self.was:
            return "new"
        if not self.now:
            return "gone"
        return "same count" if self.was == self.now else "other count"


@dataclass(frozen=True)
class SubmissionComparison:
    """Two submissions, the earlier one first, and how their files differ.

    left_out: the number of lines of each file that have no fields to compare. counted_fields: what
    `count_changed_fields` returns, where a job has counted them.
    """

    before: Submission
    after: Submission
    difference: registers.LoanDifference
    left_out: tuple[int, int]
    counted_fields: Sequence[tuple[str, int]] = ()

    @property
    def is_same(self) -> bool:
        """True where both files have the same records."""
        difference = self.difference
        return not (len(difference.removed) or len(difference.added) or difference.changed.height)


def find_comparable_submissions(of: Submission) -> QuerySet[Submission]:
    """Return the submissions that one can be compared with, those of its own filing first."""
    return (
        Submission.objects.filter(filing__institution__lei=of.lei)
        .exclude(pk=of.pk)
        .exclude(parse_folder="")
        .select_related("filing__institution", "filing__period")
        .order_by("-filing__period__year", "-filing__period__quarter", "-sequence_number")
    )


def find_usual_comparison(of: Submission) -> Submission | None:
    """Return the submission that one is compared with by default.

    That is the one before it in its filing, or else the one after it.
    """
    near = find_comparable_submissions(of).filter(filing=of.filing_id)
    earlier = near.filter(sequence_number__lt=of.sequence_number).first()
    return earlier or near.last()


def find_checked_before(of: Submission) -> Submission | None:
    """Return the submission before one in its filing on which the edits were run."""
    near = find_comparable_submissions(of).filter(
        filing=of.filing_id, sequence_number__lt=of.sequence_number
    )
    return near.exclude(edits_folder="").first()


def require_comparable(one: Submission, other: Submission) -> None:
    """Refuse two submissions that cannot be compared.

    Raises: BadInput when they are the same, or of different institutions; NotReady when a file has
    not been read; NotFound when it was removed.
    """
    if one.pk == other.pk:
        raise BadInput("A submission cannot be compared with itself. Choose another one.")
    if one.lei != other.lei:
        raise BadInput(f"{one} and {other} are of different institutions. Choose one of {one.lei}.")
    for submission in (one, other):
        removed_files.require_files_present(submission)
        if not submission.raw_file:
            raise NotReady(f"{submission} has no file yet, so it cannot be compared.")
        if not submission.parse_folder:
            raise NotReady(f"The file of {submission} has not been read, so it cannot be compared.")


def order_submissions(one: Submission, other: Submission) -> list[Submission]:
    """Return the earlier of two submissions, then the later one."""
    return sorted((one, other), key=lambda submission: (submission.created_at, submission.pk))


def is_large(one: Submission, other: Submission) -> bool:
    """Return whether comparing the records takes so long that a job does it, on request."""
    return one.lines + other.lines > MAX_LINES_AT_ONCE


def compare_submissions(one: Submission, other: Submission) -> SubmissionComparison:
    """Return how the files of two submissions differ, in whichever order they are given.

    Raises: what `require_comparable` raises; NotReady for a file that is not text; NotFound when a
    file is not in storage.
    """
    require_comparable(one, other)
    before, after = order_submissions(one, other)
    old, new = _register(before), _register(after)
    return SubmissionComparison(
        before, after, registers.compare_loans(old, new), (old.left_out, new.left_out)
    )


def list_differences(comparison: SubmissionComparison, most: int) -> dict[str, Any]:
    """Return what a page shows of a comparison. most: records of each kind."""
    return {
        "comparison": comparison,
        # Templates treat a frame as a dictionary, and find no height in it.
        "numbers": {
            "added": len(comparison.difference.added),
            "removed": len(comparison.difference.removed),
            "changed": comparison.difference.changed.height,
        },
        "removed": list_loans(comparison.before, comparison.difference.removed, most),
        "added": list_loans(comparison.after, comparison.difference.added, most),
        "changed": list_changed_loans(comparison, most),
        "fields": comparison.counted_fields or count_changed_fields(comparison, MAX_COUNTED),
        "sheet": compare_sheets(comparison.before, comparison.after),
        "most": most,
        "counted": MAX_COUNTED,
    }


def list_loans(submission: Submission, rows: pl.Series, most: int) -> list[Loan]:
    """Return the first records of some rows of a file."""
    columns = ("row", "uli", "loan_amount", "action_taken")
    return [
        Loan(row + 1, uli, amount, action)
        for frame in read_loans(submission, rows.head(most))
        for row, uli, amount, action in frame.select(columns).iter_rows()
    ]


def list_changed_loans(comparison: SubmissionComparison, most: int) -> list[LoanChange]:
    """Return the first records that both files have, but with differences."""
    fields_of: dict[tuple[int, int, str], list[FieldChange]] = {}
    for frame in read_changes(comparison, comparison.difference.changed.head(most)):
        for before, after, uli, field, was, now in frame.iter_rows():
            change = FieldChange(_LABELS[field], was, now)
            fields_of.setdefault((before, after, uli), []).append(change)
    return [
        LoanChange(uli, before + 1, after + 1, fields)
        for (before, after, uli), fields in fields_of.items()
    ]


def count_changed_fields(comparison: SubmissionComparison, most: int) -> list[tuple[str, int]]:
    """Return in how many of the first changed records each field differs, most frequent first."""
    counts = [
        frame["field"].value_counts()
        for frame in read_changes(comparison, comparison.difference.changed.head(most))
    ]
    if not counts:
        return []
    total = pl.concat(counts).group_by("field").agg(pl.col("count").sum())
    rows = total.sort(["count", "field"], descending=[True, False]).iter_rows()
    return [(_LABELS[field], count) for field, count in rows]


def compare_edits(before: Submission, after: Submission) -> list[EditCountChange]:
    """Return the edits that were triggered in either of two submissions, by code.

    It reads no file.
    """
    totals: dict[tuple[str, str], dict[int, int]] = {}
    results = EditResult.objects.filter(submission__in=[before, after], total__gt=0)
    rows = results.order_by("code", "level").values_list("code", "kind", "submission", "total")
    for code, kind, submission, total in rows:
        by_submission = totals.setdefault((code, kind), {})
        by_submission[submission] = by_submission.get(submission, 0) + total
    return [
        EditCountChange(code, kind, counts.get(before.pk, 0), counts.get(after.pk, 0))
        for (code, kind), counts in totals.items()
    ]


def find_unrun_codes(before: Submission, after: Submission) -> dict[Submission, list[str]]:
    """Return the codes of the edits that were not run on each of two submissions, in one query."""
    results = EditResult.objects.not_run_only().filter(submission__in=[before, after])
    rows = results.order_by("code").values_list("submission", "code").distinct()
    codes: dict[int, list[str]] = {before.pk: [], after.pk: []}
    for submission, code in rows:
        codes[submission].append(code)
    return {before: codes[before.pk], after: codes[after.pk]}


def compare_sheets(before: Submission, after: Submission) -> list[FieldChange]:
    """Return the differences between the transmittal sheets; none where one cannot be read."""
    old, new = before.transmittal_sheet, after.transmittal_sheet
    if not old or not new:
        return []
    return [
        FieldChange(field.label, str(old.get(field.name, "")), str(new.get(field.name, "")))
        for field in TRANSMITTAL_SHEET
        if old.get(field.name) != new.get(field.name)
    ]


def _register(of: Submission) -> registers.LoanHashes:
    try:
        return registers.hash_loans(downloads.find_raw_file(of))
    except NotText as error:
        raise NotReady(f"The file of {of} cannot be compared. {error}") from error


def read_loans(of: Submission, rows: pl.Series) -> Iterator[pl.DataFrame]:
    """Yield the records of some rows of a file."""
    with findings.open_lines(of) as lines:
        yield from registers.read_loans(lines, rows)


def read_changes(comparison: SubmissionComparison, pairs: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the changed fields of pairs of records."""
    with (
        findings.open_lines(comparison.before) as before,
        findings.open_lines(comparison.after) as after,
    ):
        yield from registers.read_changed_fields(before, after, pairs)


def write_comparison_csv(comparison: SubmissionComparison) -> Iterator[str]:
    """Yield all differences between the records as CSV: removed, added, then each changed field.

    Values that a spreadsheet would read as a formula begin with an apostrophe.
    """
    yield ",".join(CSV_HEADER) + "\n"
    yield from _csv_of_loans(
        comparison.before, comparison.difference.removed, "removed", "lineBefore"
    )
    yield from _csv_of_loans(comparison.after, comparison.difference.added, "added", "lineAfter")
    for frame in read_changes(comparison, comparison.difference.changed):
        yield _csv(
            frame.select(
                "uli",
                change=pl.lit("changed"),
                lineBefore=pl.col("before") + 1,
                lineAfter=pl.col("after") + 1,
                field=pl.col("field").replace_strict(_LABELS),
                before="was",
                after="now",
            )
        )


def _csv_of_loans(of: Submission, rows: pl.Series, change: str, line: str) -> Iterator[str]:
    """Yield the records that only one of the files has."""
    lines = {name: pl.lit(None, pl.UInt32) for name in ("lineBefore", "lineAfter")}
    lines[line] = pl.col("row") + 1
    for frame in read_loans(of, rows):
        blanks = dict.fromkeys(("field", "before", "after"), pl.lit(""))
        yield _csv(frame.select("uli", change=pl.lit(change), **lines, **blanks))


def _csv(frame: pl.DataFrame) -> str:
    guarded = frame.with_columns(guard_column(name) for name in ("uli", "before", "after"))
    return guarded.select(CSV_HEADER).write_csv(include_header=False)
