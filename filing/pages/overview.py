"""Where filers land: their institutions, what each has to file, and a single filing."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from filing import access, submissions
from filing.errors import AlreadyExists, NotFound
from filing.models import Submission
from filing.pages import states
from filing.pages.cards import Card, cards
from filing.pages.filer import FilerPage, InstitutionPage, PeriodPage
from filing.people import institutions
from filing.periods import filings
from filing.requests.pagination import page
from filing.submissions import overview, participants, results
from filing.submissions.overview import Due


class Institutions(FilerPage):
    """A card for each institution and period that is open or was due within the last year."""

    def get(self, request: HttpRequest) -> HttpResponse:
        leis = access.leis_of(self.caller)
        if not leis:
            return redirect("profile")  # on which institutions are added
        by_lei: dict[str, list[Card]] = {lei: [] for lei in leis}
        for each in cards(overview.of_institutions(leis)):
            by_lei[each.due.institution.lei].append(each)
        names = institutions.names_of(leis)
        return self.show(
            "institutions",
            institutions=[
                {
                    "lei": lei,
                    "name": names.get(lei, ""),
                    "cards": [each for each in by_lei[lei] if each.due.is_current],
                    "others": [each for each in by_lei[lei] if not each.due.is_current],
                }
                for lei in sorted(leis, key=lambda lei: (names.get(lei, ""), lei))
            ],
        )


class Periods(InstitutionPage):
    """All periods of an institution, newest first, with their receipts."""

    def get(self, request: HttpRequest, lei: str) -> HttpResponse:
        return self.show("periods", cards=cards(overview.of_institutions([lei])))


class FilingOfPeriod(PeriodPage):
    """A filing: its deadline, its state, its submissions; a new submission."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        listed = results.submissions(self.lei, self.period)
        shown = page(request.GET.get("page"), listed.count())
        (card,) = cards([self._due()])
        rows = list(listed[shown.rows])
        return self.show(
            "filing",
            card=card,
            due=card.due,
            submissions=self._rows(rows),
            shown=shown,
        )

    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        """Start a submission unless one waits for its file, and the filing if nobody has."""
        if self._due().filing is None:
            with suppress(AlreadyExists):  # by a request at the same time
                filings.start(lei=self.lei, period=self.period, by=self.caller)
        begun = submissions.waiting_or_new(lei=self.lei, period=self.period, by=self.caller)
        return self.go("filing-upload", number=begun.sequence_number)

    def _due(self) -> Due:
        found = overview.of_institutions([self.lei], self.period)
        if not found:
            raise NotFound(f"There is no filing of {self.period} for this institution.")
        return found[0]

    def _rows(self, listed: list[Submission]) -> list[dict[str, Any]]:
        uploaders, progress = participants.uploaders(listed), results.progress_of(listed)
        earlier, stopped = _earlier_readable(listed), participants.stopped(listed)
        return [
            {
                "submission": each,
                "state": states.of_submission(
                    each, progress.get(each.pk), is_stopped=each.pk in stopped
                ),
                "uploader": uploaders.get(each.pk),
                "url": self.address("filing-submission", number=each.sequence_number),
                "earlier": earlier.get(each.sequence_number),
                "compare_url": self._compare_url(earlier, each.sequence_number),
            }
            for each in listed
        ]

    def _compare_url(self, earlier: dict[int, int], number: int) -> str:
        if number not in earlier:
            return ""
        return self.address("filing-compare", earlier=earlier[number], number=number)


def _earlier_readable(listed: list[Submission]) -> dict[int, int]:
    """Return by the number of a submission that of the one before it, where both were read."""
    readable = [each.sequence_number for each in listed if each.parse_folder]
    return dict(pairwise(readable))
