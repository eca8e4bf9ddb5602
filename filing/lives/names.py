"""A new name from a day on: panel records from that activity year on have it."""

from __future__ import annotations

from django.core.exceptions import ValidationError

from filing import day_hours
from filing.errors import BadInput, NotReady
from filing.lives import conditions
from filing.lives.reports import EventDraft, Part
from filing.lives.steps import EventSteps
from filing.models import Institution
from filing.people import institutions


def change_name(draft: EventDraft, steps: EventSteps) -> None:
    """Give an institution a new name. options: name.

    Raises: BadInput; NotReady for the name that it has.
    """
    conditions.require_living(draft.lei, before=steps.event)
    name, year = _check_name(str(draft.options.get("name", ""))), draft.effective_on.year
    newest = conditions.find_newest_record(draft.lei)
    records = list(
        Institution.objects.filter(lei=draft.lei, activity_year__gte=year)
        .exclude(name=name)
        .order_by("activity_year")
    )
    if not records and newest.name == name:
        raise NotReady(
            f"Every record of {year} or later has the name {name} already. Enter another name, or "
            "an earlier day."
        )
    before = conditions.find_newest_record(draft.lei, until=year)
    steps.facts |= {
        "name": name,
        "former_name": before.name,
        "from_year": year,
        "values": {"name": name},
    }
    for record in records:
        steps.change_record(record, name=name)
    if newest.activity_year < year:
        day = day_hours.day_in_words(draft.effective_on)
        steps.report(
            Part.RECORDS,
            f"Panel of {year}",
            f"Gets the name {name} when the panel is carried over: it applies from {day}.",
        )
    earlier = Institution.objects.filter(lei=draft.lei, activity_year__lt=year)
    for record in earlier.order_by("activity_year"):
        steps.report(Part.KEPT, record, "Its year is before the new name.")


def _check_name(text: str) -> str:
    name = " ".join(text.split())
    if not name:
        raise BadInput("Enter the new name.")
    try:
        name = institutions.check_text(name)
        Institution._meta.get_field("name").run_validators(name)
    except ValueError as error:
        raise BadInput(f"{error}.") from error
    except ValidationError as error:
        raise BadInput(" ".join(error.messages)) from error
    return name
