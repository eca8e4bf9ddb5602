"""What changed between two submissions of a filing: on a page of its own, and in short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from filing.files import attachments
from filing.models import Submission
from filing.pages.filer import SubmissionPage
from filing.pages.parameters import wants
from filing.statuses import Status
from filing.submissions import comparison, comparison_csv, results
from filing.submissions.comparison import EditChange

NAMED = 20  # edits named in short
AT_ONCE = 20_000  # lines of both files whose records are compared unasked
SHOWN = 20  # records of each kind on the page; the CSV has all


@dataclass(frozen=True, slots=True)
class EditChanges:
    """Edits that are gone, new and still triggered in the later of two submissions."""

    before: Submission
    after: Submission
    gone: list[EditChange]
    new: list[EditChange]
    still: list[EditChange]

    @property
    def groups(self) -> list[tuple[str, list[EditChange], Sequence[EditChange], int]]:
        """Each with its words, all edits, the first of these, and how many more there are."""
        groups = (
            ("no longer triggered", self.gone),
            ("newly triggered", self.new),
            ("still triggered", self.still),
        )
        return [
            (words, edits, edits[:NAMED], max(0, len(edits) - NAMED)) for words, edits in groups
        ]

    @property
    def is_before_stopped(self) -> bool:
        """Whether quality and macro edits of the earlier submission are not listed."""
        return self.before.status == Status.SYNTACTICAL_OR_VALIDITY_ERRORS

    @property
    def is_after_stopped(self) -> bool:
        """Whether quality and macro edits of the later submission are not listed."""
        return self.after.status == Status.SYNTACTICAL_OR_VALIDITY_ERRORS


def of_edits(before: Submission, after: Submission) -> EditChanges:
    """Return how the edits of two submissions differ; no file is read for it."""
    every = comparison.edits_between(before, after)
    return EditChanges(
        before,
        after,
        gone=[each for each in every if not each.now],
        new=[each for each in every if not each.was],
        still=[each for each in every if each.was and each.now],
    )


class Comparison(SubmissionPage):
    """A submission beside an earlier one: edits, records and transmittal sheets."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        number, earlier = self.submission.sequence_number, int(where["earlier"])
        if earlier > number:
            return self.go("filing-compare", earlier=number, number=earlier)
        missing = results.not_found(self.lei, self.period, earlier)
        before = results.submission(self.lei, self.period, earlier, missing=missing)
        comparison.require_comparable(before, self.submission)
        if wants(request, "csv"):
            found = comparison.compare(before, self.submission)
            name = f"changes-{found.before}-to-{found.after}.csv"
            return attachments.streamed(name, comparison_csv.lines(found))
        context: dict[str, Any] = {
            "before": before,
            "before_url": self.address("filing-submission", number=earlier),
            "edits": of_edits(before, self.submission),
            "sheet": comparison.sheet(before, self.submission),
        }
        is_wanted = request.GET.get("records") == "all"
        return self.show("comparison", **context | self._records(before, is_wanted=is_wanted))

    def _records(self, before: Submission, *, is_wanted: bool) -> dict[str, Any]:
        """Return what changed in records: of large files only where that was asked for."""
        lines = before.lines + self.submission.lines
        if lines > AT_ONCE and not is_wanted:
            return {"is_large": True, "lines": lines}
        return comparison.listing(comparison.compare(before, self.submission), SHOWN)
