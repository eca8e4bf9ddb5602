"""What an event requires of institutions and days. Each refusal says what to do instead."""

from __future__ import annotations

from datetime import date
from typing import Any

from filing import day_hours
from filing.errors import BadInput, NotFound, NotReady
from filing.models import Institution, InstitutionEvent
from filing.people import institutions
from filing.periods.duties import ENDINGS

# The facts of an event that staff choose, besides its day.
_CHOSEN = ("name", "values", "periods", "timely_until", "closes", "why", "way")


def require_not_ahead(day: date) -> None:
    """Refuse a day in the future. Raises: NotReady."""
    if day > day_hours.today():
        raise NotReady(
            f"{day_hours.day_in_words(day)} is in the future. Record the event on that day: what "
            "the institution still files until then is filed as before."
        )


def require_living(lei: str, *, before: InstitutionEvent) -> None:
    """Refuse an LEI that has ended: it closed, was absorbed or replaced.

    before: the event that is being recorded.

    Raises: NotReady.
    """
    events = InstitutionEvent.objects.filter(
        lei=lei, kind__in=ENDINGS, undone_at=None, pk__lt=before.pk
    )
    if event := events.order_by("-pk").first():
        where = f" Record the event of {event.other_lei} instead," if event.other_lei else ""
        raise NotReady(
            f"{lei} has ended ({event.get_kind_display()} on "
            f"{day_hours.day_in_words(event.effective_on)}).{where or ' To go on,'} "
            f"{'or ' if where else ''}take that event back first."
        )


def require_new(event: InstitutionEvent, facts: dict[str, Any]) -> None:
    """Refuse what was recorded just before: a form that was sent twice.

    facts: of the event, with what was chosen.

    Raises: NotReady.
    """
    others = InstitutionEvent.objects.filter(lei=event.lei, undone_at=None, pk__lt=event.pk)
    latest = others.order_by("-pk").first()
    if latest is None or (latest.kind, latest.other_lei, latest.effective_on) != (
        event.kind,
        event.other_lei,
        event.effective_on,
    ):
        return
    if all(latest.facts.get(name) == facts.get(name) for name in _CHOSEN):
        raise NotReady(f"It is recorded already: {latest}. To record it again, take that one back.")


def require_lei(text: str) -> str:
    """Return an LEI with right check digits, in capitals. Raises: BadInput."""
    try:
        return institutions.check_lei(text)
    except ValueError as error:
        raise BadInput(f"{error}.") from error


def find_newest_record(lei: str, *, until: int | None = None) -> Institution:
    """Return the newest panel record of an institution, up to a year if there is one.

    Raises: NotFound.
    """
    rows = list(Institution.objects.filter(lei=lei).order_by("-activity_year"))
    if not rows:
        raise NotFound(
            f"{lei} is not in the panel. Add it to the panel, or let it register, first."
        )
    return next((row for row in rows if until is None or row.activity_year <= until), rows[-1])
