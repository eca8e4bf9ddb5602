"""The start pages of filers: their institutions, the filing periods of each, and one filing."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from filing import access, standing, submissions
from filing.errors import AlreadyExists, NotFound
from filing.lar.years import describe_missing_rules
from filing.models import Submission
from filing.pages import states
from filing.pages.cards import FilingCard, build_filing_cards
from filing.pages.filer import FilerPage, InstitutionPage, PeriodPage
from filing.pages.repeated_forms import once_per_form
from filing.people import institutions
from filing.periods import filings, timeliness
from filing.requests import select_page
from filing.statuses import Status
from filing.submissions import overview, results
from filing.submissions.halts import find_halts
from filing.submissions.overview import DueFiling


class InstitutionsPage(FilerPage):
    """A card for each institution and period that is open or was due within the last year."""

    def get(self, request: HttpRequest) -> HttpResponse:
        leis = access.find_leis(self.caller)
        if not leis:
            return redirect("profile")  # where users add institutions
        by_lei: dict[str, list[FilingCard]] = {lei: [] for lei in leis}
        for card in build_filing_cards(overview.find_due_filings(leis)):
            by_lei[card.due.institution.lei].append(card)
        names = institutions.find_institution_names(leis)
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


class FilingPeriodsPage(InstitutionPage):
    """All filing periods of an institution, newest first, with their receipts."""

    def get(self, request: HttpRequest, lei: str) -> HttpResponse:
        return self.show("periods", cards=build_filing_cards(overview.find_due_filings([lei])))


class FilingOfPeriodPage(PeriodPage):
    """A filing: its deadline, state and submissions, and the button for a new submission."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        queryset = timeliness.with_first_signature(
            results.list_submissions(self.lei, self.period), filing="filing"
        )
        current_page = select_page(request.GET.get("page"), queryset.count())
        (card,) = build_filing_cards([self._due()])
        rows = list(queryset[current_page.rows])
        return self.show(
            "filing",
            card=card,
            due=card.due,
            counting_url=self._counting_url(card.due),
            submissions=self._rows(rows, card.due),
            current_page=current_page,
        )

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        """Start the filing if needed, and a submission unless one is waiting for its file."""
        if self._due().filing is None:
            with suppress(AlreadyExists):  # created by a simultaneous request
                filings.start_filing(lei=self.lei, period=self.period, by=self.caller)
        submission = submissions.find_or_create_submission(
            lei=self.lei, period=self.period, by=self.caller
        )
        return self.go("filing-upload", number=submission.sequence_number)

    def _due(self) -> DueFiling:
        dues = overview.find_due_filings([self.lei], self.period)
        if not dues:
            why = describe_missing_rules(self.period) or f"There is no filing for {self.period}."
            raise NotFound(f"{why} This institution cannot file for it.")
        return dues[0]

    def _counting_url(self, due: DueFiling) -> str:
        if due.counting is None:
            return ""
        return self.address("filing-submission", number=due.counting.sequence_number)

    def _rows(self, rows: list[Submission], due: DueFiling) -> list[dict[str, Any]]:
        uploaders, progress = results.find_uploaders(rows), results.find_progress_of_each(rows)
        earlier, halts = _earlier_readable(rows), find_halts(rows)
        later = standing.find_later_signed(rows[-1]) if rows and due.counting else None
        notices = {
            submission.pk: states.find_notice(submission, due.counting, later or due.counting)
            for submission in rows
        }
        return [
            {
                "submission": submission,
                "state": states.describe_submission_state(
                    submission,
                    progress.get(submission.pk),
                    halts.get(submission.pk),
                    notices[submission.pk],
                ),
                "notice": notices[submission.pk],
                "filed": states.describe_filing_time(submission)
                if submission.status == Status.SIGNED
                else "",
                "receipt_url": self.address("filing-receipt", number=submission.sequence_number),
                "uploader": uploaders.get(submission.pk),
                "url": self.address("filing-submission", number=submission.sequence_number),
                "earlier": earlier.get(submission.sequence_number),
                "compare_url": self._compare_url(earlier, submission.sequence_number),
            }
            for submission in rows
        ]

    def _compare_url(self, earlier: dict[int, int], number: int) -> str:
        if number not in earlier:
            return ""
        return self.address("filing-compare", earlier=earlier[number], number=number)


def _earlier_readable(rows: list[Submission]) -> dict[int, int]:
    """Return, for each submission that was read, the number of the previous one that was read."""
    readable = [submission.sequence_number for submission in rows if submission.parse_folder]
    return dict(pairwise(readable))
