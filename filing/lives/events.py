"""The events of institutions, for other pages. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import Q, QuerySet

from filing import day_hours
from filing.models import InstitutionEvent
from filing.people import institutions

Kind = InstitutionEvent.Kind


@dataclass(frozen=True)
class EventSummary:
    """An event in a sentence, as filers and staff read it. other_lei: the LEI beside this one."""

    event: InstitutionEvent
    text: str
    other_lei: str


def find_events(lei: str) -> QuerySet[InstitutionEvent]:
    """Return the events of an institution that were not taken back, newest first.

    Those of another LEI that this one took over, or that absorbed it, are among them.
    """
    events = InstitutionEvent.objects.filter(Q(lei=lei) | Q(other_lei=lei), undone_at=None)
    return events.order_by("-effective_on", "-pk")


def summarize_events(lei: str) -> list[EventSummary]:
    """Return the events of an institution as sentences, newest first."""
    events = list(find_events(lei))
    names = institutions.find_institution_names({lei for event in events for lei in event.leis})
    return [
        EventSummary(
            event,
            describe_event(event, lei, names),
            event.other_lei if event.lei == lei else event.lei,
        )
        for event in events
    ]


def describe_event(event: InstitutionEvent, lei: str, names: dict[str, str]) -> str:
    """Return an event in a sentence, from the side of one of its institutions.

    names: of institutions by LEI.
    """
    day, facts = day_hours.day_in_words(event.effective_on), event.facts
    other = event.other_lei if event.lei == lei else event.lei
    named = f"{names[other]} (LEI {other})" if names.get(other) else f"LEI {other}"
    is_first = event.lei == lei
    match event.kind:
        case Kind.NAME:
            return f"New name since {day}. Former name: {facts['former_name']}."
        case Kind.LEI if is_first:
            return f"Goes on under {named} since {day}."
        case Kind.LEI:
            return f"Former LEI until {day}: {other}."
        case Kind.MERGER if is_first:
            return f"Absorbed by {named} on {day}."
        case Kind.MERGER:
            return f"Absorbed {named} on {day}."
        case Kind.CLOSING:
            return f"Closed on {day}."
        case Kind.EXTENSION:
            until = day_hours.day_in_words(date.fromisoformat(facts["timely_until"]))
            return f"{_join(facts['periods'])} extended until {until}: {facts['why']}."
        case Kind.QUARTERLY:
            return f"Files quarterly for quarters that begin on {day} or later."
        case _:
            return f"No longer files quarterly for quarters that begin on {day} or later."


def _join(periods: Iterable[str]) -> str:
    return ", ".join(periods)
