"""The start pages of filers: their institutions, the filing periods of each, and one filing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Any, cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from filing import access, standing
from filing.access import Caller, Right
from filing.lar.years import Period
from filing.lives.events import summarize_events
from filing.models import Submission
from filing.pages import states
from filing.pages.cards import FilingCard, build_filing_cards, sort_by_urgency
from filing.pages.filer import FilerPage, InstitutionPage, PeriodPage
from filing.pages.repeated_forms import once_per_form
from filing.people import delegations, institutions, rosters
from filing.periods import timeliness
from filing.requests import select_page
from filing.statuses import Status
from filing.submissions import overview, results, worklist
from filing.submissions.halts import find_halts
from filing.submissions.overview import DueFiling
from filing.submissions.worklist import WorkItem

TABLE_FROM = 10  # institutions; so many are listed in a table
ROWS = 50  # on a page of the table
MANY = 4  # institutions; with more to choose from, a search box helps
_LAST = (9, 0)  # the urgency of an institution without a filing period


class InstitutionsPage(FilerPage):
    """The filings of a user's institutions, what needs a step and is due soonest first."""

    def get(self, request: HttpRequest) -> HttpResponse:
        leis = access.find_leis(self.caller)
        if not leis:
            return redirect("choose-institutions")
        if len(leis) >= TABLE_FROM:
            return self._show_table(leis)
        by_lei: dict[str, list[FilingCard]] = {lei: [] for lei in leis}
        cards = find_filing_cards(leis, self.caller)
        for card in cards:
            by_lei[card.due.institution.lei].append(card)
        names = institutions.find_institution_names(leis)
        return self.show(
            "institutions",
            institutions=[
                {
                    "lei": lei,
                    "name": names.get(lei, ""),
                    "cards": [card for card in by_lei[lei] if not card.is_over],
                    "others": [card for card in by_lei[lei] if card.is_over],
                }
                for lei in sorted(
                    leis,
                    key=lambda lei: (
                        by_lei[lei][0].urgency if by_lei[lei] else _LAST,
                        names.get(lei, ""),
                        lei,
                    ),
                )
            ],
            steps=sum(card.needs_step for card in cards),
            has_search=len(leis) > MANY,
        )

    def _show_table(self, leis: Collection[str]) -> HttpResponse:
        """Return the list of those who file for many: as a table, with search and filters."""
        parameters = self.request.GET
        items = worklist.list_work(leis)
        rights = access.find_rights_of_filings(
            self.caller, [(item.lei, item.period.period) for item in items if item.period]
        )
        items = worklist.keep_readable(items, rights)
        counts = Counter(item.stage for item in items)
        text, key = parameters.get("q", "").strip(), parameters.get("state", "")
        code = parameters.get("organization", "")
        delegated = delegations.find_delegated_leis(cast(User, self.request.user))
        own = {lei for lei, organization in delegated if organization.code == code}
        stages = [stage for stage in worklist.WorkStage if not key or stage.key == key]
        matching = [
            item
            for item in items
            if item.stage in stages and item.matches(text) and (not code or item.lei in own)
        ]
        current_page = select_page(parameters.get("page"), len(matching), size=ROWS)
        return self.show(
            "worklist",
            rows=_build_rows(matching[current_page.rows], rights),
            may_upload=any(Right.PREPARE in each for each in rights.values()),
            current_page=current_page,
            institutions=len(leis),
            due=sum(item.is_due for item in items),
            stages=[(stage, counts[stage]) for stage in worklist.WorkStage if counts[stage]],
            text=text,
            state=key,
            organizations=list({each.pk: each for _, each in delegated}.values()),
            code=code,
            is_filtered=bool(text or key or code),
        )


def _build_rows(
    items: Collection[WorkItem], rights: Mapping[tuple[str, Period], frozenset[Right]]
) -> list[dict[str, Any]]:
    """Return the items of one page, each with the card of its filing. rights: of the reader."""
    dues = overview.find_due_filings({item.lei for item in items}, is_recent=True)
    keys = {(item.lei, item.period.period) for item in items if item.period}
    cards = build_filing_cards([due for due in dues if due.key in keys], rights)
    by_key = {card.due.key: card for card in cards}
    return [
        {"item": item, "card": by_key.get((item.lei, item.period.period)) if item.period else None}
        for item in items
    ]


def find_filing_cards(
    leis: Collection[str], caller: Caller, *, is_staff: bool = False
) -> list[FilingCard]:
    """Return the cards of institutions, those that need a step and are due soonest first.

    Those whose period the caller may not read are left out, and each offers only the steps that the
    caller may take. is_staff: who may read all, and take no step.
    """
    dues = overview.find_due_filings(leis)
    rights = access.find_rights_of_filings(caller, [due.key for due in dues])
    dues = [due for due in dues if is_staff or Right.READ in rights[due.key]]
    return sort_by_urgency(build_filing_cards(dues, rights))


class FilingPeriodsPage(InstitutionPage):
    """All filing periods of an institution, the most urgent first, with their receipts."""

    def get(self, request: HttpRequest, lei: str) -> HttpResponse:
        cards = find_filing_cards([lei], self.caller, is_staff=self.is_read_only)
        return self.show(
            "periods",
            look=rosters.find_due_look(lei),
            cards=[card for card in cards if not card.is_over],
            others=[card for card in cards if card.is_over],
            events=[summary.text for summary in summarize_events(lei)],
        )


class FilingOfPeriodPage(PeriodPage):
    """A filing: its deadline, state and submissions, and the button for a new submission."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        queryset = timeliness.with_first_signature(
            results.list_submissions(self.lei, self.period), filing="filing"
        )
        current_page = select_page(request.GET.get("page"), queryset.count())
        (card,) = build_filing_cards([self.due], {self.due.key: self.rights})
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
        submission = self.find_or_create_submission()
        return self.go("filing-upload", number=submission.sequence_number)

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
