"""How many records of a file are of which kind: computed as it is read, stored for figures.

Files that earlier releases read are counted later, a few at a time.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from django.db.models import QuerySet, Subquery

from filing import standing, storage
from filing.edits import vocabulary
from filing.edits.texts import read_array
from filing.edits.trees import compile_program
from filing.errors import Refusal
from filing.lar.blocks import read_blocks
from filing.lar.formats import Record
from filing.lar.parser import read_loans
from filing.lar.prefetch import map_in_parallel
from filing.models import RecordCounts, Submission
from filing.statuses import Status
from filing.submissions import comparison

log = logging.getLogger(__name__)

COUNTED_AT_ONCE = 500  # files of earlier releases that one sweep counts
DENIAL_REASONS = range(1, 10)  # 10: not applicable
_OPEN_END, _CLOSED_END, _EXEMPT, _ORIGINATED = 1, 2, 1111, 1
_DENIALS = [f"denial_reason_{place}" for place in range(1, 5)]
_EXEMPTION = compile_program(vocabulary.exemption_taken().node)
_DIGITS_OF_COUNTY = 5


class RecordCounter:
    """Counts the records of a file while its blocks are read, one after the other."""

    def __init__(self) -> None:
        self._counts: list[pl.DataFrame] = []
        self._counties: list[pl.DataFrame] = []

    def add(self, loans: pl.DataFrame) -> None:
        """Add the typed records of the next block."""
        self._counts.append(
            loans.select(*_quantities(), with_exemption=pl.lit(_count_exempt(loans)))
        )
        self._counties.append(loans.group_by("county").agg(records=pl.len()))

    def columns(self, sheet: Record) -> dict[str, Any]:
        """Return the columns of `RecordCounts`, once all blocks are added."""
        counts = pl.concat(self._counts).sum().row(0, named=True) if self._counts else {}
        return {
            "agency": sheet["federal_agency"],
            "city": str(sheet["contact_city"])[:200],
            "state": str(sheet["contact_state"])[:200],
            "counties": self._counties_as_text(),
            **counts,
        }

    def _counties_as_text(self) -> str:
        if not self._counties:
            return ""
        known = pl.col("county").str.contains(rf"^\d{{{_DIGITS_OF_COUNTY}}}$")
        counties = pl.concat(self._counties).filter(known).group_by("county").sum().sort("county")
        return " ".join(counties.select(pl.format("{}:{}", "county", "records")).to_series())

    def store(self, submission: Submission, sheet: Record) -> None:
        """Store the counts of a file in place of those of an earlier reading."""
        columns = self.columns(sheet)
        RecordCounts.objects.update_or_create(submission=submission, defaults=columns)


def find_uncounted() -> QuerySet[Submission]:
    """Return the signed submissions whose file an earlier release read, and that is still there."""
    signed = Submission.objects.filter(
        status=Status.SIGNED, record_counts=None, files_removed_at=None
    )
    return signed.exclude(raw_file="").order_by("-pk")


def count_signed_files(at_most: int | None = COUNTED_AT_ONCE) -> int:
    """Count the records of files that an earlier release read; return how many files."""
    counted = 0
    for submission in find_uncounted()[:at_most]:
        try:
            count_file(submission)
        except (OSError, ValueError) as error:  # others are counted all the same
            log.error("%s cannot be counted: %s", submission.pk, error)
            continue
        counted += 1
    return counted


def compare_corrections(at_most: int | None = COUNTED_AT_ONCE) -> int:
    """Count the records that signed corrections changed; return how many were compared.

    A correction is compared with the submission of its filing that was signed before it.
    """
    earlier = standing.find_earlier_signatures().order_by("-signed_at", "-pk")
    stored = Submission.objects.filter(files_removed_at=None).exclude(raw_file="").values("pk")
    corrections = (
        RecordCounts.objects.filter(changed=None, submission__status=Status.SIGNED)
        .annotate(before=Subquery(earlier.values("submission")[:1]))
        .filter(before__in=stored, submission__in=stored)
        .order_by("-pk")
    )
    compared = 0
    for key, before in list(corrections.values_list("pk", "before")[:at_most]):
        changed = _count_changes(before, key)
        if changed is not None:
            compared += RecordCounts.objects.filter(pk=key, changed=None).update(changed=changed)
    return compared


def _count_changes(before: int, after: int) -> int | None:
    """Return how many records two files do not have in common; None if one cannot be read."""
    related = Submission.objects.select_related("filing__institution", "filing__period")
    try:
        old, new = related.get(pk=before), related.get(pk=after)
        if standing.is_same_file(old, new):
            return 0
        difference = comparison.compare_submissions(old, new).difference
    except (OSError, Refusal) as error:  # a file is no longer there
        log.info("Submissions %s and %s are not compared: %s", before, after, error)
        return None
    return len(difference.removed) + len(difference.added) + difference.changed.height


def count_file(submission: Submission) -> None:
    """Read the file of a submission, and store its counts. Raises: OSError; ValueError."""
    counter = RecordCounter()
    with storage.open_local_copy(submission.raw_file).open("rb") as file:
        for read in map_in_parallel(read_loans, read_blocks(file)):
            counter.add(read.loans)
    counter.store(submission, submission.transmittal_sheet or {})


@cache
def _quantities() -> tuple[pl.Expr, ...]:
    """Return the counts of a frame of records, by the name of their column."""
    line, units = pl.col("open_end_line_of_credit"), pl.col("total_units")
    built, is_small = pl.col("construction_method"), units.is_between(1, 4)
    is_originated = pl.col("action_taken") == _ORIGINATED
    # The month of a date as the number 20250331.
    quarter = (pl.col("action_taken_date") // 100 % 100 + 2) // 3
    conditions = {
        "open_end": line == _OPEN_END,
        "closed_end": line == _CLOSED_END,
        "line_exempt": line == _EXEMPT,
        "open_end_originated": (line == _OPEN_END) & is_originated,
        "closed_end_originated": (line == _CLOSED_END) & is_originated,
        "single_family": (built == 1) & is_small,
        "manufactured": (built == 2) & is_small,
        "multifamily": units >= 5,
        **{
            f"denial_{reason}": pl.any_horizontal(pl.col(name) == reason for name in _DENIALS)
            for reason in DENIAL_REASONS
        },
        "denial_exempt": pl.col(_DENIALS[0]) == _EXEMPT,
        **{f"quarter_{number}": quarter == number for number in range(1, 5)},
    }
    return tuple(
        condition.sum().cast(pl.Int64).alias(name) for name, condition in conditions.items()
    )


def _count_exempt(loans: pl.DataFrame) -> int:
    """Return how many records have an exemption code in some field, as edit Q646 reads them."""
    (is_taken,) = _EXEMPTION.run(lambda name: read_array(loans[name]))
    return int(np.count_nonzero(is_taken))
