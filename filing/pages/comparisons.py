"""Comparisons on pages: two submissions of a filing, and a file under the rules of another year."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from filing.edits.edit import EditKind
from filing.files import responses
from filing.lar.years import Period, find_year, is_supported, supported_years
from filing.models import FileComparison, Submission
from filing.pages.filer import SubmissionPage, describe_download, wants_format
from filing.statuses import Status
from filing.submissions import (
    comparison,
    comparison_jobs,
    name_submission,
    results,
    reviews,
)
from filing.submissions.comparison import EditCountChange, SubmissionComparison
from filing.submissions.rules_comparison import compare_with_rules

MAX_RECORDS = 20  # of each kind on the page; the CSV has all


@dataclass(frozen=True, slots=True)
class EditChanges:
    """Edits that are gone, new and still triggered in the later of two submissions.

    unrun: the codes of those that count as gone or new because they were not run, by the number of
    the submission on which they were not.
    """

    before: Submission
    after: Submission
    gone: list[EditCountChange]
    new: list[EditCountChange]
    still: list[EditCountChange]
    unrun: dict[int, list[str]]

    def describe(self, code: str) -> str:
        """Return in words how the count of an edit differs; blank where it cannot be compared."""
        edit = {edit.code: edit for edit in [*self.new, *self.still]}.get(code)
        if edit is None or (self.is_before_stopped and edit.kind in reviews.REVIEWABLE):
            return ""
        if not edit.was:
            is_unrun = code in self.unrun.get(self.before.sequence_number, ())
            return "not run before" if is_unrun else "new"
        difference = edit.now - edit.was
        if edit.kind == EditKind.MACRO.value:
            return "as before"
        if not difference:
            return "same number"
        return f"{difference:,} more" if difference > 0 else f"{-difference:,} fewer"

    @property
    def groups(self) -> list[tuple[str, list[EditCountChange]]]:
        """The edits under their labels."""
        return [
            ("no longer triggered", self.gone),
            ("newly triggered", self.new),
            ("still triggered", self.still),
        ]

    @property
    def is_before_stopped(self) -> bool:
        """Whether quality and macro edits of the earlier submission are not listed."""
        return self.before.status == Status.SYNTACTICAL_OR_VALIDITY_ERRORS

    @property
    def is_after_stopped(self) -> bool:
        """Whether quality and macro edits of the later submission are not listed."""
        return self.after.status == Status.SYNTACTICAL_OR_VALIDITY_ERRORS


def compare_edits(before: Submission, after: Submission) -> EditChanges:
    """Return how the edits of two submissions differ, without reading their files."""
    edits = comparison.compare_edits(before, after)
    triggered = {edit.code for edit in edits if not (edit.was and edit.now)}
    unrun = {
        submission.sequence_number: [code for code in codes if code in triggered]
        for submission, codes in comparison.find_unrun_codes(before, after).items()
    }
    return EditChanges(
        before,
        after,
        gone=[edit for edit in edits if not edit.now],
        new=[edit for edit in edits if not edit.was],
        still=[edit for edit in edits if edit.was and edit.now],
        unrun={number: codes for number, codes in unrun.items() if codes},
    )


class SubmissionComparisonPage(SubmissionPage):
    """A submission beside an earlier one: edits, records and transmittal sheets."""

    def records(self, **where: Any) -> str:
        earlier = name_submission(lei=self.lei, period=self.period, number=int(where["earlier"]))
        return describe_download(self.request, f"comparison with {earlier}")

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        number, earlier = self.submission.sequence_number, int(where["earlier"])
        if earlier > number:
            return self.go("filing-compare", earlier=number, number=earlier)
        missing = results.refuse_submission_not_found(self.lei, self.period, earlier)
        before = results.find_submission(self.lei, self.period, earlier, missing=missing)
        comparison.require_comparable(before, self.submission)
        is_csv = wants_format(request, "csv")
        is_requested = is_csv or request.GET.get("records") == "all"
        compared = None
        if is_requested or not comparison.is_large(before, self.submission):
            compared = comparison_jobs.find_comparison(
                before, self.submission, retries=not self.is_part
            )
        if is_csv and isinstance(compared, SubmissionComparison):
            name = f"changes-{compared.before}-to-{compared.after}.csv"
            return responses.stream_attachment(name, comparison.write_comparison_csv(compared))
        if is_csv:
            return redirect(f"{request.path}?records=all")  # which waits for the job
        context: dict[str, Any] = {
            "before": before,
            "before_url": self.address("filing-submission", number=earlier),
            "edits": compare_edits(before, self.submission),
            "sheet": comparison.compare_sheets(before, self.submission),
            "records": before.records + self.submission.records,
        }
        if isinstance(compared, FileComparison):
            # This status also says that the page shows no records yet.
            return self.show("comparison", status=HTTPStatus.ACCEPTED, queued=compared, **context)
        listed = comparison.list_differences(compared, MAX_RECORDS) if compared else {}
        return self.show("comparison", **context | listed)


class RulesComparisonPage(SubmissionPage):
    """The results of a checked file beside those of the rules of another year."""

    def get(self, request: HttpRequest, rules: str, **where: str) -> HttpResponse:
        difference = compare_with_rules(self.submission, int(rules))
        other = find_year(difference.other_year)
        return self.show(
            "rules_comparison",
            difference=difference,
            other_rules=other.rules_in_words if other and other.is_provisional else "",
            others=[(year, self._address(year)) for year in self._other_years(int(rules))],
        )

    def _other_years(self, rules_year: int) -> list[int]:
        """Return the other years whose rules can be compared, newest first."""
        compared, quarter = {self.period.year, rules_year}, self.period.quarter
        return [
            year
            for year in reversed(supported_years())
            if year not in compared and is_supported(Period(year, quarter))
        ]

    def _address(self, year: int) -> str:
        number = self.submission.sequence_number
        return self.address("filing-rules", number=number, rules=year)
