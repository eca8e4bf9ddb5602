"""The endpoints of filing periods, and of the filings that an institution owes."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from django.http import HttpResponseBase
from django.utils.http import quote_etag
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.negotiation import AnyAccept
from filing.api.openapi import periods as openapi
from filing.api.public import PublicView
from filing.api.serializers.periods import FilingPeriodList, ObligationList
from filing.api.views.base import InstitutionView
from filing.errors import NotFound
from filing.files import conditional
from filing.models import Institution
from filing.pages.cards import Card, cards
from filing.periods import calendar_file, due
from filing.periods.announced import announced_periods, announced_years
from filing.periods.calendar_file import DeadlineEvent
from filing.submissions import overview


class Periods(PublicView):
    """All filing periods and years."""

    @openapi.list_periods
    def get(self, request: Request) -> HttpResponseBase:
        content = {"periods": announced_periods(), "years": announced_years()}
        return _answer(request, FilingPeriodList(content).data)


class PeriodsCalendar(PublicView):
    """The deadlines of all filing periods, as a calendar."""

    content_negotiation_class = AnyAccept

    @openapi.periods_calendar
    def get(self, request: Request) -> HttpResponseBase:
        host = request.get_host()
        events = [calendar_file.deadline_event(each.period, host) for each in announced_periods()]
        return _calendar(request, "hmda-periods.ics", events)


class _ObligationsView(InstitutionView):
    """The periods in which an institution files."""

    def cards(self) -> list[Card]:
        """Return the filings of the institution, newest period first.

        Raises: NotFound for an institution that is not in the panel of any year.
        """
        filings = cards(overview.of_institutions([self.lei]))
        if not filings and not Institution.objects.filter(lei=self.lei).exists():
            raise NotFound(f"Institution: {self.lei} does not exist")
        return filings


class Obligations(_ObligationsView):
    """The filings that an institution owes, with the status and the receipt of each."""

    @openapi.list_obligations
    def get(self, request: Request, **where: Any) -> HttpResponseBase:
        content = {"lei": self.lei, "obligations": self.cards()}
        return _answer(request, ObligationList(content).data)


class ObligationsCalendar(_ObligationsView):
    """The deadlines of the filings that an institution owes, as a calendar."""

    content_negotiation_class = AnyAccept

    @openapi.obligations_calendar
    def get(self, request: Request, **where: Any) -> HttpResponseBase:
        host = request.get_host()
        events = [_event(card, host) for card in self.cards() if not card.due.is_cancelled]
        return _calendar(request, f"hmda-{self.lei}.ics", events)


def _event(card: Card, host: str) -> DeadlineEvent:
    """Return the event of a filing, with its status."""
    institution, period = card.due.institution, card.due.period
    receipt = f" Receipt number {card.signature.receipt}." if card.signature else ""
    return DeadlineEvent(
        uid=f"obligation-{institution.lei}-{period}@{host}",
        day=period.timely_until,
        summary=f"HMDA filing {period} of {institution.name}: {card.state.text}",
        description=f"{due.section(period.period)}. {card.when}.{receipt}",
    )


def _answer(request: Request, body: Any) -> HttpResponseBase:
    return conditional.answered(request, _etag(body), lambda: Response(body))


def _calendar(request: Request, name: str, events: Iterable[DeadlineEvent]) -> HttpResponseBase:
    """Return a calendar; its ETag is that of the events, not of the time it was written."""
    listed = list(events)
    return conditional.answered(
        request, _etag(listed), lambda: calendar_file.calendar_file(name, listed)
    )


def _etag(content: Any) -> str:
    return quote_etag(blake2b(repr(content).encode(), digest_size=12).hexdigest())
