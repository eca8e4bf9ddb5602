"""Comparisons of two submissions of an institution. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl
from django.db.models import QuerySet

from filing.errors import BadInput, NotReady
from filing.lar import comparison as registers
from filing.lar.blocks import NotText
from filing.lar.fields import LAR_BY_NAME, TRANSMITTAL_SHEET
from filing.models import EditResult, Submission
from filing.submissions import findings, raw_files, removed_files

MOST_CHOICES = 100
SHOWN = 100  # records of each kind on a page; the CSV has all
MAX_LINES_AT_ONCE = 20_000  # of both files; the records of larger ones are compared on request
COUNTED = 20_000  # changed records whose fields are counted on a page


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
class EditChange:
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
class Comparison:
    """Two submissions, the earlier one first, and how their files differ.

    left_out: the number of lines of each file that have no fields to compare.
    """

    before: Submission
    after: Submission
    difference: registers.Difference
    left_out: tuple[int, int]

    @property
    def is_same(self) -> bool:
        """True where both files have the same records."""
        difference = self.difference
        return not (len(difference.removed) or len(difference.added) or difference.changed.height)


def others(of: Submission) -> QuerySet[Submission]:
    """Return the submissions that one can be compared with, those of its own filing first."""
    return (
        Submission.objects.filter(filing__institution__lei=of.lei)
        .exclude(pk=of.pk)
        .exclude(parse_folder="")
        .select_related("filing__institution", "filing__period")
        .order_by("-filing__period__year", "-filing__period__quarter", "-sequence_number")
    )


def usual(of: Submission) -> Submission | None:
    """Return the submission that one is compared with by default.

    That is the one before it in its filing, or else the one after it.
    """
    near = others(of).filter(filing=of.filing_id)
    earlier = near.filter(sequence_number__lt=of.sequence_number).first()
    return earlier or near.last()


def checked_before(of: Submission) -> Submission | None:
    """Return the submission before one in its filing on which the edits were run."""
    near = others(of).filter(filing=of.filing_id, sequence_number__lt=of.sequence_number)
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
        removed_files.require_present(submission)
        if not submission.raw_file:
            raise NotReady(f"{submission} has no file yet, so it cannot be compared.")
        if not submission.parse_folder:
            raise NotReady(f"The file of {submission} has not been read, so it cannot be compared.")


def compare(one: Submission, other: Submission) -> Comparison:
    """Return how the files of two submissions differ, in whichever order they are given.

    Raises: what `require_comparable` raises; NotReady for a file that is not text; NotFound when a
    file is not in storage.
    """
    require_comparable(one, other)
    before, after = sorted(
        (one, other), key=lambda submission: (submission.created_at, submission.pk)
    )
    old, new = _register(before), _register(after)
    return Comparison(before, after, registers.difference(old, new), (old.left_out, new.left_out))


def listing(comparison: Comparison, most: int | None = None) -> dict[str, Any]:
    """Return what a page shows of a comparison. most: records of each kind."""
    most = most or SHOWN
    return {
        "found": comparison,
        # Templates treat a frame as a dictionary, and find no height in it.
        "numbers": {
            "added": len(comparison.difference.added),
            "removed": len(comparison.difference.removed),
            "changed": comparison.difference.changed.height,
        },
        "removed": removed(comparison, most),
        "added": added(comparison, most),
        "changed": changed(comparison, most),
        "fields": fields_changed(comparison, COUNTED),
        "sheet": sheet(comparison.before, comparison.after),
        "most": most,
        "counted": COUNTED,
    }


def removed(comparison: Comparison, most: int) -> list[Loan]:
    """Return the first records that only the earlier file has."""
    return _first(comparison.before, comparison.difference.removed, most)


def added(comparison: Comparison, most: int) -> list[Loan]:
    """Return the first records that only the later file has."""
    return _first(comparison.after, comparison.difference.added, most)


def changed(comparison: Comparison, most: int) -> list[LoanChange]:
    """Return the first records that both files have, but with differences."""
    fields_of: dict[tuple[int, int, str], list[FieldChange]] = {}
    for frame in changes_of(comparison, comparison.difference.changed.head(most)):
        for before, after, uli, field, was, now in frame.iter_rows():
            label = LAR_BY_NAME[field].label
            fields_of.setdefault((before, after, uli), []).append(FieldChange(label, was, now))
    return [
        LoanChange(uli, before + 1, after + 1, fields)
        for (before, after, uli), fields in fields_of.items()
    ]


def fields_changed(comparison: Comparison, most: int) -> list[tuple[str, int]]:
    """Return in how many of the first changed records each field differs, most frequent first."""
    counts = [
        frame["field"].value_counts()
        for frame in changes_of(comparison, comparison.difference.changed.head(most))
    ]
    if not counts:
        return []
    total = pl.concat(counts).group_by("field").agg(pl.col("count").sum())
    rows = total.sort(["count", "field"], descending=[True, False]).iter_rows()
    return [(LAR_BY_NAME[field].label, count) for field, count in rows]


def edits(comparison: Comparison) -> list[EditChange]:
    """Return the edits that were triggered by a different number of records, by code."""
    changes = edits_between(comparison.before, comparison.after)
    return [change for change in changes if change.was != change.now]


def edits_between(before: Submission, after: Submission) -> list[EditChange]:
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
        EditChange(code, kind, counts.get(before.pk, 0), counts.get(after.pk, 0))
        for (code, kind), counts in totals.items()
    ]


def unrun_codes(before: Submission, after: Submission) -> dict[Submission, list[str]]:
    """Return the codes of the edits that were not run on each of two submissions, in one query."""
    results = EditResult.objects.not_run_only().filter(submission__in=[before, after])
    rows = results.order_by("code").values_list("submission", "code").distinct()
    codes: dict[int, list[str]] = {before.pk: [], after.pk: []}
    for submission, code in rows:
        codes[submission].append(code)
    return {before: codes[before.pk], after: codes[after.pk]}


def sheet(before: Submission, after: Submission) -> list[FieldChange]:
    """Return the differences between the transmittal sheets; none where one cannot be read."""
    old, new = before.transmittal_sheet, after.transmittal_sheet
    if not old or not new:
        return []
    return [
        FieldChange(field.label, str(old.get(field.name, "")), str(new.get(field.name, "")))
        for field in TRANSMITTAL_SHEET
        if old.get(field.name) != new.get(field.name)
    ]


def _register(of: Submission) -> registers.Register:
    try:
        return registers.register(raw_files.path(of))
    except NotText as error:
        raise NotReady(f"The file of {of} cannot be compared. {error}") from error


def loans_of(of: Submission, rows: pl.Series) -> Iterator[pl.DataFrame]:
    """Yield the records of some rows of a file."""
    with findings.lines_of(of) as lines:
        yield from registers.loans(lines, rows)


def changes_of(comparison: Comparison, pairs: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the changed fields of pairs of records."""
    with (
        findings.lines_of(comparison.before) as before,
        findings.lines_of(comparison.after) as after,
    ):
        yield from registers.changes(before, after, pairs)


def _first(of: Submission, rows: pl.Series, most: int) -> list[Loan]:
    columns = ("row", "uli", "loan_amount", "action_taken")
    return [
        Loan(row + 1, uli, amount, action)
        for frame in loans_of(of, rows.head(most))
        for row, uli, amount, action in frame.select(columns).iter_rows()
    ]
