"""The start pages of filers: their institutions, the filing periods of each, and one filing."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from filing import access, standing, submissions
from filing.errors import AlreadyExists, NotFound
from filing.lar.years import missing_rules
from filing.models import Submission
from filing.pages import states
from filing.pages.cards import Card, cards
from filing.pages.filer import FilerPage, InstitutionPage, PeriodPage
from filing.pages.repeated_forms import sent_once
from filing.people import institutions
from filing.periods import filings, timeliness
from filing.requests.pagination import page
from filing.statuses import Status
from filing.submissions import overview, participants, results
from filing.submissions.halts import halts_of
from filing.submissions.overview import Due


class Institutions(FilerPage):
    """A card for each institution and period that is open or was due within the last year."""

    def get(self, request: HttpRequest) -> HttpResponse:
        leis = access.leis_of(self.caller)
        if not leis:
            return redirect("profile")  # where users add institutions
        by_lei: dict[str, list[Card]] = {lei: [] for lei in leis}
        for card in cards(overview.of_institutions(leis)):
            by_lei[card.due.institution.lei].append(card)
        names = institutions.names_of(leis)
        return self.show(
            "institutions",
            institutions=[
                {
                    "lei": lei,
                    "name": names.get(lei, ""),
                    "cards": [card for card in by_lei[lei] if card.due.is_current],
                    "others": [card for card in by_lei[lei] if not card.due.is_current],
                }
                for lei in sorted(leis, key=lambda lei: (names.get(lei, ""), lei))
            ],
        )


class Periods(InstitutionPage):
    """All filing periods of an institution, newest first, with their receipts."""

    def get(self, request: HttpRequest, lei: str) -> HttpResponse:
        return self.show("periods", cards=cards(overview.of_institutions([lei])))


class FilingOfPeriod(PeriodPage):
    """A filing: its deadline, state and submissions, and the button for a new submission."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        listed = timeliness.with_first_signature(
            results.submissions(self.lei, self.period), filing="filing"
        )
        current_page = page(request.GET.get("page"), listed.count())
        (card,) = cards([self._due()])
        rows = list(listed[current_page.rows])
        return self.show(
            "filing",
            card=card,
            due=card.due,
            counting_url=self._counting_url(card.due),
            submissions=self._rows(rows, card.due),
            current_page=current_page,
        )

    @sent_once
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        """Start the filing if needed, and a submission unless one is waiting for its file."""
        if self._due().filing is None:
            with suppress(AlreadyExists):  # created by a simultaneous request
                filings.start(lei=self.lei, period=self.period, by=self.caller)
        submission = submissions.waiting_or_new(lei=self.lei, period=self.period, by=self.caller)
        return self.go("filing-upload", number=submission.sequence_number)

    def _due(self) -> Due:
        dues = overview.of_institutions([self.lei], self.period)
        if not dues:
            why = missing_rules(self.period) or f"There is no filing for {self.period}."
            raise NotFound(f"{why} This institution cannot file for it.")
        return dues[0]

    def _counting_url(self, due: Due) -> str:
        if due.counting is None:
            return ""
        return self.address("filing-submission", number=due.counting.sequence_number)

    def _rows(self, listed: list[Submission], due: Due) -> list[dict[str, Any]]:
        uploaders, progress = participants.uploaders(listed), results.progress_of(listed)
        earlier, halts = _earlier_readable(listed), halts_of(listed)
        later = standing.later_signed(listed[-1]) if listed and due.counting else None
        notices = {
            submission.pk: states.find_notice(submission, due.counting, later or due.counting)
            for submission in listed
        }
        return [
            {
                "submission": submission,
                "state": states.of_submission(
                    submission,
                    progress.get(submission.pk),
                    halts.get(submission.pk),
                    notices[submission.pk],
                ),
                "notice": notices[submission.pk],
                "filed": states.when_filed(submission) if _is_signed(submission) else "",
                "receipt_url": self.address("filing-receipt", number=submission.sequence_number),
                "uploader": uploaders.get(submission.pk),
                "url": self.address("filing-submission", number=submission.sequence_number),
                "earlier": earlier.get(submission.sequence_number),
                "compare_url": self._compare_url(earlier, submission.sequence_number),
            }
            for submission in listed
        ]

    def _compare_url(self, earlier: dict[int, int], number: int) -> str:
        if number not in earlier:
            return ""
        return self.address("filing-compare", earlier=earlier[number], number=number)


def _is_signed(submission: Submission) -> bool:
    return submission.status == Status.SIGNED


def _earlier_readable(listed: list[Submission]) -> dict[int, int]:
    """Return, for each submission that was read, the number of the previous one that was read."""
    readable = [submission.sequence_number for submission in listed if submission.parse_folder]
    return dict(pairwise(readable))
