"""A merger on a day: who owes what for which part of the year.

Source: Regulation C, comments 2(g)-3 and 2(g)-4 on 12 CFR 1003.2(g). Where both institutions were
covered and the surviving one is, data of the whole calendar year of the merger are reported in one
consolidated submission or in separate ones. Where only one was covered, those of the offices of the
other are optional; where the surviving one is not covered, only what the covered one did before the
merger is reported. Years before stay due by whoever owed them, and the surviving institution files
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from filing import day_hours
from filing.errors import BadInput
from filing.lives import conditions
from filing.lives.closings import end_duties
from filing.lives.reports import EventDraft, Part
from filing.lives.steps import EventSteps, find_open_filings, find_quarter_start
from filing.models import Membership
from filing.people import institutions, invitations, memberships
from filing.periods import duties


@dataclass(frozen=True)
class MergerWay:
    """A lawful way to report the year of a merger.

    of_absorbed: whether the absorbed institution's LEI owes a file of its own for that year.
    of_surviving: whether the surviving one's does. absorbed, surviving: what these files have.
    """

    label: str
    of_absorbed: bool
    of_surviving: bool
    absorbed: str
    surviving: str


WAYS: dict[str, MergerWay] = {
    "consolidated": MergerWay(
        "Both were covered, the surviving one is: one consolidated file",
        of_absorbed=False,
        of_surviving=True,
        absorbed="nothing",
        surviving="one file with the loans of both institutions for the whole year",
    ),
    "separate": MergerWay(
        "Both were covered, the surviving one is: two separate files",
        of_absorbed=True,
        of_surviving=True,
        absorbed="its own loans of the year until the merger, filed by the surviving institution",
        surviving="its own loans of the whole year, after the merger those of all offices",
    ),
    "absorbed-not-covered": MergerWay(
        "Only the surviving one was covered",
        of_absorbed=False,
        of_surviving=True,
        absorbed="nothing: it was not covered",
        surviving="its own loans; those of the offices of the absorbed one are optional for the "
        "year of the merger",
    ),
    "survivor-not-covered": MergerWay(
        "Only the absorbed one was covered, the surviving one is not",
        of_absorbed=True,
        of_surviving=False,
        absorbed="its loans of the year until the merger; later ones are optional",
        surviving="nothing: it is not covered",
    ),
    "survivor-covered-after": MergerWay(
        "Only the absorbed one was covered, the surviving one is from the merger on",
        of_absorbed=False,
        of_surviving=True,
        absorbed="nothing",
        surviving="one file with the loans of the offices of the absorbed one for the whole year; "
        "those of its own offices are optional for the year of the merger",
    ),
}
PEOPLE = {
    "keep": "keep their rights for the absorbed institution",
    "take": "keep them, and get the same for the surviving institution",
    "end": "lose them for the absorbed institution",
}


def merge_institutions(draft: EventDraft, steps: EventSteps) -> None:
    """Let an institution be absorbed by another one.

    options: way, people, and `survivor_files`: whether the people of the surviving institution may
    file what the absorbed one still owes.

    Raises: BadInput; NotReady; NotFound for a surviving institution that is not in the panel.
    """
    absorbed, surviving, day = draft.lei, draft.other_lei, draft.effective_on
    way, people = WAYS.get(draft.options.get("way", "")), draft.options.get("people", "keep")
    if way is None or people not in PEOPLE:
        raise BadInput(f"Choose how the year of the merger is reported: {', '.join(WAYS)}.")
    if absorbed == surviving:
        raise BadInput("An institution does not merge with itself. Enter another surviving LEI.")
    conditions.require_not_ahead(day)
    conditions.require_living(absorbed, before=steps.event)
    conditions.require_living(surviving, before=steps.event)
    conditions.find_newest_record(surviving)
    steps.facts |= {"way": draft.options["way"], "people": people}
    _report_duties(draft, way, steps)
    owes_year, owes_quarter = (
        way.of_absorbed and day != first
        for first in (date(day.year, 1, 1), find_quarter_start(day))
    )
    end_duties(absorbed, day, steps, owes_year=owes_year, owes_quarter=owes_quarter)
    if not way.of_surviving:
        _release_surviving(surviving, day, steps)
    if people == "take":
        steps.copy_people(absorbed, surviving)
    if draft.options.get("survivor_files"):
        steps.copy_people(surviving, absorbed)
    if people == "end":
        _end_people(draft, steps)


def _report_duties(draft: EventDraft, way: MergerWay, steps: EventSteps) -> None:
    absorbed, surviving, year = draft.lei, draft.other_lei, draft.effective_on.year
    names = institutions.find_institution_names([absorbed, surviving])
    both = f"{names[absorbed]} ({absorbed}) is absorbed by {names[surviving]} ({surviving})."
    steps.report(Part.DUTIES, "Institutions", both)
    # On the first day of a year, it had no loans of its own in that year.
    is_first_day = draft.effective_on == date(year, 1, 1)
    of_absorbed = "nothing" if is_first_day else way.absorbed
    steps.report(Part.DUTIES, year, f"{absorbed} files {of_absorbed}.")
    steps.report(Part.DUTIES, year, f"{surviving} files {way.surviving}.")
    for filing in find_open_filings(absorbed, period__year__lt=year):
        if filing.window.closes >= day_hours.today() and duties.is_due(filing):
            steps.report(
                Part.DUTIES,
                filing.period,
                f"{absorbed} still owes it; the surviving institution files it under {absorbed}.",
            )


def _release_surviving(surviving: str, day: date, steps: EventSteps) -> None:
    """Release the surviving institution, which is not covered, from the year of the merger."""
    first, last = date(day.year, 1, 1), date(day.year, 12, 31)
    start = find_quarter_start(day)
    steps.release(surviving, is_quarterly=False, first_day=first, last_day=last)
    steps.release(surviving, is_quarterly=True, first_day=start, last_day=last)
    steps.cancel_filings(
        filing
        for filing in find_open_filings(surviving, period__year=day.year)
        if not filing.period.quarter or filing.period.period.starts >= start
    )


def _end_people(draft: EventDraft, steps: EventSteps) -> None:
    copied = set(steps.facts.get("memberships", ()))
    members = Membership.objects.filter(lei=draft.lei).exclude(pk__in=copied)
    if draft.options.get("survivor_files"):  # who acts for both is of the surviving one, too
        of_surviving = Membership.objects.filter(lei=draft.other_lei)
        members = members.exclude(user__in=of_surviving.values("user"))
    number = invitations.withdraw_open_invitations(lei=draft.lei, by=steps.by, reason=steps.why)
    for member in members.select_related("user"):
        about = str(member.user)
        memberships.end_right(member, by=steps.by, reason=steps.why)
        steps.report(Part.PEOPLE, about, f"Can no longer file for {draft.lei}.")
    if number:
        steps.report(Part.PEOPLE, "Invitations", f"{number} for {draft.lei} withdrawn.")
