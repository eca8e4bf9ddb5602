"""Undoes a season opening as one thing, as long as nothing was filed in any of its filings.

Its filings are removed. A period that it created is removed, one that it moved gets its days back,
unless staff have changed them since or other filings are in it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial

from django.db import IntegrityError, transaction
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.errors import NotReady
from filing.models import AuditEvent, Filing, FilingPeriod, SeasonOpening
from filing.periods import removal
from filing.periods.removal import RemovalPlan
from filing.seasons.opening import filings_of
from filing.seasons.report import report_of, window
from filing.seasons.windows import Window, change
from filing.submissions.interventions import require_reason

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class UndoPlan:
    """What undoing an opening would mean. moved: the days that each period had before."""

    filings: RemovalPlan
    created: tuple[FilingPeriod, ...]
    moved: tuple[tuple[FilingPeriod, Window], ...]
    kept: tuple[FilingPeriod, ...]
    emails: int

    def __str__(self) -> str:
        sentences = [
            f"Filings: {self.filings.filings:,}, with submissions: {self.filings.submitted:,}. "
            f"{self.filings if self.filings.filings else 'No filing is removed.'}",
            _about("Removed, because it created them: periods {}.", self.created),
            *(f"{period} gets its days back: {days}." for period, days in self.moved),
            _about("Kept as they are, changed or used since: periods {}.", self.kept),
            f"{self.emails:,} emails that announced it cannot be taken back."
            if self.emails
            else "",
        ]
        return " ".join(filter(None, sentences))


def _about(sentence: str, periods: tuple[FilingPeriod, ...]) -> str:
    return sentence.format(", ".join(map(str, periods))) if periods else ""


def plan_undo(opening: SeasonOpening) -> str:
    """Return what undoing an opening would mean: its filings, periods and emails.

    Raises: NotReady while it is running, once it is undone, and if one of its filings has to stay.
    """
    return str(_plan(opening))


def undo_opening(opening: SeasonOpening, *, by: Caller, reason: str) -> str:
    """Undo an opening, and record it in the audit log; return what was done.

    Raises: what `plan_undo` raises; BadInput without a reason.
    """
    require_reason(reason)
    try:
        with transaction.atomic():
            locked = SeasonOpening.objects.select_for_update(of=("self",)).get(pk=opening.pk)
            plan = _plan(locked)
            if plan.filings.filings:
                removal.remove_unfiled(filings_of(locked))
            for period in plan.created:
                period.delete()
            for period, days in plan.moved:
                change(period, days, by=by, reason=reason)
            locked.undone_at = timezone.now()
            locked.save(update_fields=["undone_at"])
            number = plan.filings.filings
            done = "1 filing was removed" if number == 1 else f"{number:,} filings were removed"
            audit.record(
                AuditEvent.SEASON_UNDONE,
                by=by,
                about=f"{locked.year}, opening {locked.pk}",
                reason=f"{reason.strip()}\n{plan}",
            )
            text = "Opening %s of season %s was undone by %s: %s"
            transaction.on_commit(partial(log.info, text, locked.pk, locked.year, by, done))
    except IntegrityError as error:
        raise removal.overtaken() from error
    opening.undone_at = locked.undone_at
    return f"Undone: {done}."


def _plan(opening: SeasonOpening) -> UndoPlan:
    if opening.undone_at:
        raise NotReady("This opening is undone already.")
    if opening.job.is_unfinished:
        raise NotReady("This opening is still running. Wait until its job is done or has failed.")
    filings = removal.plan_removal(filings_of(opening))
    if filings.submitted or filings.held:
        raise NotReady(str(filings))
    used = Filing.objects.filter(period__year=opening.year).exclude(
        pk__in=filings_of(opening).values("pk")
    )
    in_use = set(used.order_by().values_list("period_id", flat=True).distinct())
    created, moved, kept = [], [], []
    for period in FilingPeriod.objects.filter(year=opening.year).order_by("quarter"):
        stored = opening.windows.get(period.quarter)
        if stored is None or "before" not in stored:
            continue
        before = window(stored["before"]) if stored["before"] else None
        is_as_opened = Window.of(period) == window(stored)
        if before is None and period.pk not in in_use and is_as_opened:
            created.append(period)
        elif before and before != window(stored) and is_as_opened:
            moved.append((period, before))
        elif before is None or before != window(stored):
            kept.append(period)
    report = report_of(opening)
    emails = report.emails if report else 0
    return UndoPlan(filings, tuple(created), tuple(moved), tuple(kept), emails)
