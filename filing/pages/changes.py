"""The differences between two submissions of a filing: a page, and a summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from filing.files import attachments
from filing.models import Submission
from filing.pages.filer import SubmissionPage
from filing.pages.parameters import in_format, wants
from filing.statuses import Status
from filing.submissions import comparison, comparison_csv, name_of, results
from filing.submissions.comparison import EditChange

MAX_EDITS_NAMED = 20  # in the summary
MAX_RECORDS = 20  # of each kind on the page; the CSV has all


@dataclass(frozen=True, slots=True)
class EditChanges:
    """Edits that are gone, new and still triggered in the later of two submissions.

    unrun: the codes of those that count as gone or new because they were not run, by the number of
    the submission on which they were not.
    """

    before: Submission
    after: Submission
    gone: list[EditChange]
    new: list[EditChange]
    still: list[EditChange]
    unrun: dict[int, list[str]]

    @property
    def groups(self) -> list[tuple[str, list[EditChange], Sequence[EditChange], int]]:
        """The groups: a label, all edits, the first ones, and how many more there are."""
        groups = (
            ("no longer triggered", self.gone),
            ("newly triggered", self.new),
            ("still triggered", self.still),
        )
        return [
            (label, edits, edits[:MAX_EDITS_NAMED], max(0, len(edits) - MAX_EDITS_NAMED))
            for label, edits in groups
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
    """Return how the edits of two submissions differ, without reading their files."""
    edits = comparison.edits_between(before, after)
    triggered = {edit.code for edit in edits if not (edit.was and edit.now)}
    unrun = {
        submission.sequence_number: [code for code in codes if code in triggered]
        for submission, codes in comparison.unrun_codes(before, after).items()
    }
    return EditChanges(
        before,
        after,
        gone=[edit for edit in edits if not edit.now],
        new=[edit for edit in edits if not edit.was],
        still=[edit for edit in edits if edit.was and edit.now],
        unrun={number: codes for number, codes in unrun.items() if codes},
    )


class Comparison(SubmissionPage):
    """A submission beside an earlier one: edits, records and transmittal sheets."""

    def records(self, **where: Any) -> str:
        earlier = name_of(lei=self.lei, period=self.period, number=int(where["earlier"]))
        return in_format(self.request, f"comparison with {earlier}")

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        number, earlier = self.submission.sequence_number, int(where["earlier"])
        if earlier > number:
            return self.go("filing-compare", earlier=number, number=earlier)
        missing = results.not_found(self.lei, self.period, earlier)
        before = results.submission(self.lei, self.period, earlier, missing=missing)
        comparison.require_comparable(before, self.submission)
        if wants(request, "csv"):
            compared = comparison.compare(before, self.submission)
            name = f"changes-{compared.before}-to-{compared.after}.csv"
            return attachments.streamed(name, comparison_csv.lines(compared))
        context: dict[str, Any] = {
            "before": before,
            "before_url": self.address("filing-submission", number=earlier),
            "edits": of_edits(before, self.submission),
            "sheet": comparison.sheet(before, self.submission),
        }
        is_requested = request.GET.get("records") == "all"
        records = self._records(before, is_requested=is_requested)
        return self.show("comparison", **context | records)

    def _records(self, before: Submission, *, is_requested: bool) -> dict[str, Any]:
        """Return the changed records; for large files only on request."""
        lines = before.lines + self.submission.lines
        if lines > comparison.MAX_LINES_AT_ONCE and not is_requested:
            return {"is_large": True, "records": before.records + self.submission.records}
        return comparison.listing(comparison.compare(before, self.submission), MAX_RECORDS)
