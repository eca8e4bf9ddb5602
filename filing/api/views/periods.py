"""The endpoints of filing periods, and of the filings that an institution owes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request

from filing import access
from filing.access import Right
from filing.api.openapi import filings as openapi
from filing.api.public import AnyAccept, PublicView
from filing.api.serializers.periods import FilingPeriodList, ObligationList
from filing.api.views.base import InstitutionView
from filing.errors import NotFound
from filing.files import responses
from filing.models import Institution
from filing.pages.cards import FilingCard, build_filing_cards
from filing.periods import due_dates
from filing.periods.due_dates import DeadlineEvent
from filing.periods.filings import list_announced_periods, list_announced_years
from filing.submissions import overview


class PeriodsView(PublicView):
    """All filing periods and years."""

    @openapi.list_periods
    def get(self, request: Request) -> HttpResponseBase:
        content = {"periods": list_announced_periods(), "years": list_announced_years()}
        return _answer(request, FilingPeriodList(content).data)


class PeriodsCalendarView(PublicView):
    """The deadlines of all filing periods, as a calendar."""

    content_negotiation_class = AnyAccept

    @openapi.periods_calendar
    def get(self, request: Request) -> HttpResponseBase:
        host = request.get_host()
        events = [
            due_dates.make_deadline_event(each.period, host) for each in list_announced_periods()
        ]
        return _calendar(request, "hmda-periods.ics", events)


class _InstitutionPeriodsView(InstitutionView):
    """The periods in which an institution files."""

    def cards(self) -> list[FilingCard]:
        """Return what the institution owes or has filed, and what is canceled, newest first.

        Left out are periods that the caller may not read.

        Raises: NotFound for an institution that is not in the panel of any year.
        """
        dues = overview.find_due_filings([self.lei])
        rights = access.find_rights_of_filings(self.caller, [due.key for due in dues])
        if not dues and not Institution.objects.filter(lei=self.lei).exists():
            raise NotFound(f"Institution: {self.lei} does not exist")
        readable = [due for due in dues if Right.READ in rights[due.key]]
        return build_filing_cards([due for due in readable if due.is_expected or due.is_cancelled])


class ObligationsView(_InstitutionPeriodsView):
    """The filings that an institution owes, with the status and the receipt of each."""

    @openapi.list_obligations
    def get(self, request: Request, **where: Any) -> HttpResponseBase:
        content = {"lei": self.lei, "obligations": self.cards()}
        return _answer(request, ObligationList(content).data)


class ObligationsCalendarView(_InstitutionPeriodsView):
    """The deadlines of the filings that an institution owes, as a calendar."""

    content_negotiation_class = AnyAccept

    @openapi.obligations_calendar
    def get(self, request: Request, **where: Any) -> HttpResponseBase:
        host = request.get_host()
        events = [_event(card, host) for card in self.cards() if not card.due.is_cancelled]
        return _calendar(request, f"hmda-{self.lei}.ics", events)


def _event(card: FilingCard, host: str) -> DeadlineEvent:
    """Return the event of a filing, with its status."""
    institution, period = card.due.institution, card.due.period
    receipt = f" Receipt number {card.signature.receipt}." if card.signature else ""
    return DeadlineEvent(
        uid=f"obligation-{institution.lei}-{period}@{host}",
        day=period.timely_until,
        summary=f"HMDA filing {period} of {institution.name}: {card.state.text}",
        description=f"{due_dates.find_deadline_section(period.period)}. {card.when}.{receipt}",
    )


def _answer(request: Request, body: Any) -> HttpResponseBase:
    return responses.answer_json(request, body)


def _calendar(request: Request, name: str, events: Iterable[DeadlineEvent]) -> HttpResponseBase:
    """Return a calendar; its ETag is that of the events, not of the time it was written."""
    event_list = list(events)
    return responses.answer_conditionally(
        request,
        responses.make_etag(event_list),
        lambda: due_dates.make_calendar_file(name, event_list),
    )
