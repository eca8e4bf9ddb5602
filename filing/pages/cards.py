"""Cards: a filing at a glance, with its next step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from django.conf import settings

from filing import day_hours
from filing.access import ALL_RIGHTS, NO_RIGHTS, Right
from filing.lar.years import Period, YearStage, is_supported
from filing.models import Signature, Submission
from filing.pages import states
from filing.periods import due_dates, timeliness
from filing.statuses import Status
from filing.submissions import results
from filing.submissions.halts import Halt, find_halts
from filing.submissions.overview import DueFiling
from filing.submissions.results import StageProgress

_SOON = timedelta(days=14)  # before a deadline, from when its tag warns


@dataclass(frozen=True)
class CardTag:
    """What one sees of a filing first. kind: that of the tag's color."""

    kind: str
    text: str


@dataclass(frozen=True)
class PendingSubmission:
    """A submission in progress, beside the one that counts.

    button: the address of its next step; blank if there is none for the reader. discard_url: blank
    for a reader who may not discard it.
    """

    submission: Submission
    state: states.PageState
    url: str
    button: str
    discard_url: str


@dataclass(frozen=True)
class FilingCard:
    """A filing as the pages show it.

    progress: of checking the submission in progress. halt: what holds that submission up. rights:
    of the reader, who is offered no step that needs another one.
    """

    due: DueFiling
    progress: StageProgress | None = None
    halt: Halt | None = None
    rights: frozenset[Right] = ALL_RIGHTS

    @cached_property
    def state(self) -> states.PageState:
        """Its state, with the next step."""
        return states.describe_filing_state(self.due, self.progress, self.halt)

    @property
    def when(self) -> str:
        """Its filing deadline, as a sentence without the period.

        Of what is filed, or not owed, it says only the day.
        """
        is_met = self.due.counting or self.due.reason_not_owed
        describe = due_dates.describe_met_deadline if is_met else due_dates.describe_due
        return describe(self.due.period)

    @property
    def tag(self) -> CardTag:
        """Whether it is filed, and until then whether it is open and when it is due."""
        due, period, today = self.due, self.due.period, day_hours.today()
        if due.is_cancelled:
            return CardTag("quiet", "Canceled")
        if due.counting:
            return CardTag("good", "Filed")
        if due.is_closed:
            return CardTag("quiet", "Closed")
        if not (due.is_open and is_supported(period.period, YearStage.FILING)):
            return CardTag("quiet", "Not open")
        if due.in_progress and self.state.turn:
            return CardTag("info", f"Waiting for {self.state.turn}")
        if due.in_progress and not self.state.page:
            return CardTag("info", "Checking")
        if due.reason_not_owed:
            return CardTag("quiet", due.reason_not_owed)
        if timeliness.is_late(today, period):
            return CardTag("bad", "Late")
        left = period.timely_until - today
        unit = "day" if left.days == 1 else "days"
        text = f"Due in {left.days} {unit}" if left else "Due today"
        return CardTag("warn" if left <= _SOON else "info", text)

    @property
    def is_over(self) -> bool:
        """Whether nothing can be done about it now, or nothing has to: closed, open later, or
        neither owed nor begun.

        What was filed stays in sight for a year, as long as its period is open.
        """
        due = self.due
        is_left = not (due.is_expected or due.in_progress)
        return due.is_closed or due.is_cancelled or is_left or not due.is_current

    @property
    def needs_step(self) -> bool:
        """Whether the filer acts next, on what is due or on what is in progress beside it."""
        if self.pending:
            return bool(self.pending.button) and not self.pending.state.turn
        is_open = self.due.is_owed or self.due.in_progress
        return bool(self.button and is_open) and not self.due.counting and not self.state.turn

    @property
    def urgency(self) -> tuple[int, int]:
        """The place among others: what needs a step and is due first, then what is in work."""
        deadline = self.due.period.timely_until.toordinal()
        if self.needs_step:
            return 0, deadline
        if self.is_over:
            return 3, -deadline
        return (2, -deadline) if self.due.counting else (1, deadline)

    @property
    def home(self) -> str:
        """The address of its page."""
        return self._address("filing-period")

    @property
    def button(self) -> str:
        """The address of the next step; blank if there is none for the reader."""
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
            discard_url=self._address("filing-discard", number=number)
            if Right.PREPARE in self.rights
            else "",
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

    @property
    def upload_url(self) -> str:
        """The address to upload a file in a new submission; blank where none is accepted."""
        accepts = self.due.is_open and not self.due.is_cancelled
        return self._address(states.NEW_UPLOAD) if accepts and Right.PREPARE in self.rights else ""

    def _next(self, state: states.PageState, submission: Submission | None) -> str:
        """Return the address of the next step of a submission; blank if there is none."""
        if state.needs not in self.rights:
            return ""
        if state.page == states.NEW_UPLOAD:
            return self.upload_url
        is_signing = state.page == "filing-sign" and not settings.SIGNING_ENABLED
        if submission is None or not state.page or is_signing:
            return ""
        return self._address(state.page, number=submission.sequence_number)

    def _address(self, page: str, **more: int) -> str:
        return states.build_page_address(
            page, self.due.institution.lei, self.due.period.period, **more
        )


def sort_by_urgency(cards: Iterable[FilingCard]) -> list[FilingCard]:
    """Return the cards with what needs a step and is due soonest first, and what is over last."""
    return sorted(cards, key=lambda card: card.urgency)


def build_filing_cards(
    dues: Collection[DueFiling],
    rights: Mapping[tuple[str, Period], frozenset[Right]] | None = None,
) -> list[FilingCard]:
    """Return the cards of filings, with the progress of those that are being checked.

    rights: of the reader, by LEI and period; by default all.
    """
    pending = [due.in_progress for due in dues if due.in_progress]
    progress = results.find_progress_of_each(
        submission for submission in pending if not Status(submission.status).is_settled
    )
    halts = find_halts(pending)
    return [
        FilingCard(
            due,
            progress.get(due.in_progress.pk) if due.in_progress else None,
            halts.get(due.in_progress.pk) if due.in_progress else None,
            ALL_RIGHTS if rights is None else rights.get(due.key, NO_RIGHTS),
        )
        for due in dues
    ]
