"""Reads: what two submissions of an institution do not have in common. Nothing here writes."""

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
from filing.submissions import findings, raw_files

MOST_CHOICES = 100
SHOWN = 100  # loans of each kind on a page; the CSV has all
COUNTED = 20_000  # changed loans whose fields are counted on a page


@dataclass(frozen=True)
class Loan:
    """A loan that only one of the files has."""

    line: int
    uli: str
    amount: str
    action_taken: str


@dataclass(frozen=True)
class FieldChange:
    """A field of a loan, or of the transmittal sheet, that is another one in the later file."""

    label: str
    was: str
    now: str


@dataclass(frozen=True)
class LoanChange:
    """A loan that both files have, with what differs."""

    uli: str
    line_before: int
    line_after: int
    fields: list[FieldChange]


@dataclass(frozen=True)
class EditChange:
    """An edit with the rows it found in the earlier and the later file. 0: it found nothing."""

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

    left_out: of each file, the lines that have no fields to compare.
    """

    before: Submission
    after: Submission
    difference: registers.Difference
    left_out: tuple[int, int]

    @property
    def is_same(self) -> bool:
        """True where both files have the same loans."""
        found = self.difference
        return not (len(found.removed) or len(found.added) or found.changed.height)


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
    """Return what a submission is compared with unless somebody says otherwise.

    That is the one before it in its filing, or else the one behind it.
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

    Raises: BadInput when they are one, or of two institutions; NotReady when a file has not been
    read.
    """
    if one.pk == other.pk:
        raise BadInput("A submission cannot be compared with itself: choose another one.")
    if one.lei != other.lei:
        raise BadInput(f"{one} and {other} are of two institutions: choose one of {one.lei}.")
    for each in (one, other):
        if not each.raw_file:
            raise NotReady(f"{each} has no file yet: there is nothing to compare.")
        if not each.parse_folder:
            raise NotReady(f"The file of {each} has not been read: it cannot be compared.")


def compare(one: Submission, other: Submission) -> Comparison:
    """Return how the files of two submissions differ, whichever is given first. It reads both.

    Raises: what `require_comparable` raises; NotReady for a file that is no text; NotFound when one
    is not in storage.
    """
    require_comparable(one, other)
    before, after = sorted((one, other), key=lambda each: (each.created_at, each.pk))
    left, right = _register(before), _register(after)
    return Comparison(
        before, after, registers.difference(left, right), (left.left_out, right.left_out)
    )


def listing(found: Comparison, most: int | None = None) -> dict[str, Any]:
    """Return what a page lists of a comparison. most: records of each kind."""
    most = most or SHOWN
    return {
        "found": found,
        # Templates take a frame for a dictionary, and find no height in it.
        "numbers": {
            "added": len(found.difference.added),
            "removed": len(found.difference.removed),
            "changed": found.difference.changed.height,
        },
        "removed": removed(found, most),
        "added": added(found, most),
        "changed": changed(found, most),
        "fields": fields_changed(found, COUNTED),
        "sheet": sheet(found.before, found.after),
        "most": most,
        "counted": COUNTED,
    }


def removed(found: Comparison, most: int) -> list[Loan]:
    """Return the first loans that only the earlier file has."""
    return _first(found.before, found.difference.removed, most)


def added(found: Comparison, most: int) -> list[Loan]:
    """Return the first loans that only the later file has."""
    return _first(found.after, found.difference.added, most)


def changed(found: Comparison, most: int) -> list[LoanChange]:
    """Return the first loans that both files have, but not as they were."""
    shown: dict[tuple[int, int, str], list[FieldChange]] = {}
    for frame in changes_of(found, found.difference.changed.head(most)):
        for before, after, uli, field, was, now in frame.iter_rows():
            label = LAR_BY_NAME[field].label
            shown.setdefault((before, after, uli), []).append(FieldChange(label, was, now))
    return [
        LoanChange(uli, before + 1, after + 1, fields)
        for (before, after, uli), fields in shown.items()
    ]


def fields_changed(found: Comparison, most: int) -> list[tuple[str, int]]:
    """Return how many of the first changed loans each field was changed in, the most first."""
    counts = [
        frame["field"].value_counts()
        for frame in changes_of(found, found.difference.changed.head(most))
    ]
    if not counts:
        return []
    total = pl.concat(counts).group_by("field").agg(pl.col("count").sum())
    rows = total.sort(["count", "field"], descending=[True, False]).iter_rows()
    return [(LAR_BY_NAME[field].label, count) for field, count in rows]


def edits(found: Comparison) -> list[EditChange]:
    """Return the edits that found another number of rows, by code."""
    every = edits_between(found.before, found.after)
    return [each for each in every if each.was != each.now]


def edits_between(before: Submission, after: Submission) -> list[EditChange]:
    """Return the edits that found something in one of two submissions, by code.

    No file is read for it.
    """
    totals: dict[tuple[str, str], dict[int, int]] = {}
    results = EditResult.objects.filter(submission__in=[before, after], total__gt=0)
    named = results.order_by("code", "level").values_list("code", "kind", "submission", "total")
    for code, kind, submission, total in named:
        counted = totals.setdefault((code, kind), {})
        counted[submission] = counted.get(submission, 0) + total
    return [
        EditChange(code, kind, of.get(before.pk, 0), of.get(after.pk, 0))
        for (code, kind), of in totals.items()
    ]


def sheet(before: Submission, after: Submission) -> list[FieldChange]:
    """Return what differs between the transmittal sheets; nothing where one cannot be read."""
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
    """Yield the loans of some rows of a file."""
    with findings.lines_of(of) as lines:
        yield from registers.loans(lines, rows)


def changes_of(found: Comparison, pairs: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the changed fields of pairs of loans."""
    with findings.lines_of(found.before) as before, findings.lines_of(found.after) as after:
        yield from registers.changes(before, after, pairs)


def _first(of: Submission, rows: pl.Series, most: int) -> list[Loan]:
    shown = ("row", "uli", "loan_amount", "action_taken")
    return [
        Loan(row + 1, uli, amount, action)
        for frame in loans_of(of, rows.head(most))
        for row, uli, amount, action in frame.select(shown).iter_rows()
    ]
