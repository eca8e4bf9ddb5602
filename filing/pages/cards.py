"""Cards: a filing at a glance, with its next step."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from django.conf import settings

from filing.models import Signature, Submission
from filing.pages import states
from filing.periods import due_dates
from filing.statuses import Status
from filing.submissions import results
from filing.submissions.halts import Halt, find_halts
from filing.submissions.overview import DueFiling
from filing.submissions.results import StageProgress


@dataclass(frozen=True)
class PendingSubmission:
    """A submission in progress, beside the one that counts.

    button: the address of its next step; blank if there is none.
    """

    submission: Submission
    state: states.PageState
    url: str
    button: str
    discard_url: str


@dataclass(frozen=True)
class FilingCard:
    """A filing as the pages show it.

    progress: of checking the submission in progress. halt: what holds that submission up.
    """

    due: DueFiling
    progress: StageProgress | None = None
    halt: Halt | None = None

    @cached_property
    def state(self) -> states.PageState:
        """Its state, with the next step."""
        return states.describe_filing_state(self.due, self.progress, self.halt)

    @property
    def when(self) -> str:
        """Its filing deadline, as a sentence without the period."""
        period = self.due.period
        return (
            due_dates.describe_met_deadline(period)
            if self.due.counting
            else due_dates.describe_due(period)
        )

    @property
    def home(self) -> str:
        """The address of its page."""
        return self._address("filing-period")

    @property
    def is_begun_at_home(self) -> bool:
        """Whether the next step starts on the page of the filing."""
        return self.state.page == "filing-period"

    @property
    def button(self) -> str:
        """The address of the next step; blank if there is none."""
        return self._next(self.state, self.due.counting or self.due.in_progress)

    @property
    def pending(self) -> PendingSubmission | None:
        """What is in progress beside what counts; None if nothing is."""
        submission = self.due.in_progress
        if submission is None or self.due.counting is None or self.due.is_cancelled:
            return None
        state = states.describe_submission_state(submission, self.progress, self.halt)
        number = submission.sequence_number
        return PendingSubmission(
            submission,
            state,
            url=self._address("filing-submission", number=number),
            button=self._next(state, submission) if self.due.is_open else "",
            discard_url=self._address("filing-discard", number=number),
        )

    @property
    def signature(self) -> Signature | None:
        """The signature of what counts."""
        return self.due.counting.signature if self.due.counting else None

    @property
    def receipt_url(self) -> str:
        """The address of the receipt of what counts; blank if nothing does."""
        filed = self.due.counting
        return self._address("filing-receipt", number=filed.sequence_number) if filed else ""

    def _next(self, state: states.PageState, submission: Submission | None) -> str:
        """Return the address of the next step of a submission; blank if there is none."""
        if state.page == "filing-period":
            return self.home if self.due.is_open and not self.due.is_cancelled else ""
        is_signing = state.page == "filing-sign" and not settings.SIGNING_ENABLED
        if submission is None or not state.page or is_signing:
            return ""
        return self._address(state.page, number=submission.sequence_number)

    def _address(self, page: str, **more: int) -> str:
        return states.build_page_address(
            page, self.due.institution.lei, self.due.period.period, **more
        )


def build_filing_cards(dues: Collection[DueFiling]) -> list[FilingCard]:
    """Return the cards of filings, with the progress of those that are being checked."""
    pending = [due.in_progress for due in dues if due.in_progress]
    progress = results.find_progress_of_each(
        submission for submission in pending if not Status(submission.status).is_settled
    )
    halts = find_halts(pending)
    return [
        FilingCard(due, progress.get(due.in_progress.pk), halts.get(due.in_progress.pk))
        if due.in_progress
        else FilingCard(due)
        for due in dues
    ]
