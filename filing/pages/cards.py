"""Cards: a filing at a glance, with its next step."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from django.conf import settings

from filing.models import Signature
from filing.pages import states
from filing.periods import due as due_days
from filing.statuses import Status
from filing.submissions import participants, results
from filing.submissions.overview import Due
from filing.submissions.results import Progress


@dataclass(frozen=True)
class Card:
    """A filing as the pages show it.

    progress: of checking its latest submission. is_stopped: whether staff stopped that submission.
    """

    due: Due
    progress: Progress | None = None
    is_stopped: bool = False

    @cached_property
    def state(self) -> states.State:
        """Its state, with the next step."""
        return states.of(self.due, self.progress, is_stopped=self.is_stopped)

    @property
    def when(self) -> str:
        """Its filing deadline, as a sentence without the period."""
        period = self.due.period
        return due_days.when_filed(period) if self.due.signed else due_days.in_words(period)

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
        latest = self.due.latest
        if self.is_begun_at_home:
            return self.home if self.due.is_open and not self.due.is_cancelled else ""
        is_signing = self.state.page == "filing-sign" and not settings.SIGNING_ENABLED
        if latest is None or not self.state.page or is_signing:
            return ""
        return self._address(self.state.page, number=latest.sequence_number)

    @property
    def signature(self) -> Signature | None:
        """The last signature, which is in force."""
        return self.due.signed.signature if self.due.signed else None

    @property
    def receipt_url(self) -> str:
        """The address of the last receipt; blank if there is none."""
        signed = self.due.signed
        return self._address("filing-receipt", number=signed.sequence_number) if signed else ""

    def _address(self, page: str, **more: int) -> str:
        return states.address(page, self.due.institution.lei, self.due.period.period, **more)


def cards(dues: Collection[Due]) -> list[Card]:
    """Return the cards of filings, with the progress of those that are being checked."""
    latest = [due.latest for due in dues if due.latest]
    progress = results.progress_of(
        submission for submission in latest if not Status(submission.status).is_settled
    )
    stopped = participants.stopped_by_staff(latest)
    return [
        Card(due, progress.get(due.latest.pk), due.latest.pk in stopped)
        if due.latest
        else Card(due)
        for due in dues
    ]
