"""Opens a season, as a job that a form queues or at once by a command, and undoes an opening.

It may be repeated, stopped at any time and continued, and run twice at the same time: existing
windows and filings stay, and a filing is created only once.

An opening is undone as one thing, as long as nothing was filed in any of its filings: these are
removed. A period that it created is removed, one that it moved gets its days back, unless staff
have changed them since or other filings are in it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date
from functools import partial

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.jobs import claims, queue
from filing.lar.years import Period
from filing.models import AuditEvent, Filing, FilingPeriod, Institution, SeasonOpening
from filing.models.database import lock_table
from filing.periods import removal
from filing.periods.removal import RemovalPlan
from filing.previews import require_previewed
from filing.registries import Lease
from filing.seasons import preview
from filing.seasons.plans import InstitutionChoice, SeasonPlan
from filing.seasons.report import (
    OpenedPeriod,
    SeasonReport,
    read_report,
    window_from_json,
    window_to_json,
)
from filing.seasons.windows import (
    Window,
    change_window,
    find_current_windows,
    require_rulebook,
    usual_windows,
)
from filing.submissions.interventions import require_reason

log = logging.getLogger(__name__)

CHUNK = 2_000  # filings created in one transaction


def queue_opening(
    plan: SeasonPlan, *, by: Caller, reason: str, force: bool = False, digest: str | None = None
) -> SeasonOpening:
    """Queue the opening of a season and return it.

    force: even without a census. digest: of the preview that is confirmed, if there was one.

    Raises: BadInput, also without a reason; NotReady without a census; PreviewChanged.
    """
    if not reason.strip():
        raise BadInput("Enter the reason for opening the season. It is recorded in the audit log.")
    plan.require_openable(force=force)
    with transaction.atomic():
        lock_table(Institution)
        _lock_periods(plan.year)
        require_previewed(digest, preview.preview_season(plan))
        opening = _create(plan, by=by, reason=reason.strip())
    log.info("The opening of season %s was queued by %s", plan.year, by)
    return opening


def open_season(
    year: int,
    *,
    opens: date | None = None,
    timely_until: date | None = None,
    closes: date | None = None,
    quarters: bool = True,
    force: bool = False,
    announce: bool = False,
    dry_run: bool = False,
    by: Caller,
) -> SeasonReport:
    """Create the periods of a year at once, with the filings that are expected in each.

    The days of an existing period stay unless others are given, which then apply to every period of
    the year.

    Raises: BadInput for a year without a rulebook or days out of order; NotReady without a census.
    """
    require_rulebook(Period(year))
    existing = find_current_windows(year)
    usual = usual_windows(year) if quarters else {"": usual_windows(year)[""]}
    windows = {
        quarter: _with_days(existing.get(quarter, default), opens, timely_until, closes)
        for quarter, default in usual.items()
    }
    plan = SeasonPlan(year, windows, announce=announce)
    plan.require_openable(force=force)
    with transaction.atomic():
        opening = _create(plan, by=by, notifies=False)
        lease = claims.claim_job(opening.job_id)
        assert lease is not None, "No other process sees this job before it is committed."
        run_opening(lease)
        opening.refresh_from_db()
        report = read_report(opening)
        assert report is not None
        transaction.set_rollback(dry_run)
    return SeasonReport(year, report.periods, dry_run, report.emails, report.seconds)


def run_opening(lease: Lease) -> None:
    """Open the season of a job: the windows, the filings, the emails, and then the report."""
    opening = SeasonOpening.objects.get(job_id=lease.job_id)
    plan, by = read_plan(opening), _caller(opening)
    before = _set_windows(opening, plan, by)
    _create_filings(plan, opening, lease)
    emails = preview.queue_announcements(plan, opening, lease) if plan.announce else 0
    report = SeasonReport(
        plan.year,
        _opened_periods(plan, opening, before),
        emails=emails,
        seconds=(timezone.now() - lease.started_at).total_seconds(),
    )
    with transaction.atomic():
        lease.finish()
        SeasonOpening.objects.filter(pk=opening.pk).update(report=report.as_json())
        audit.record_event(
            AuditEvent.SEASON_OPENED, by=by, about=str(plan.year), reason=opening.reason
        )
        text = "Season %s was opened for %s: %s filings created"
        transaction.on_commit(partial(log.info, text, plan.year, by, report.made))


def read_plan(opening: SeasonOpening) -> SeasonPlan:
    """Return the plan of an opening."""
    return SeasonPlan(
        opening.year,
        {quarter: window_from_json(days) for quarter, days in opening.windows.items()},
        InstitutionChoice.of_json(opening.choice),
        opening.announce,
    )


def find_opened_filings(opening: SeasonOpening) -> QuerySet[Filing]:
    """Return the filings that an opening created.

    A process of a former release does not name the opening, but starts them at its time.
    """
    unnamed = Q(opening=None, started_at=opening.at, period__year=opening.year)
    return Filing.objects.filter(Q(opening=opening) | unnamed)


def _create(
    plan: SeasonPlan, *, by: Caller, reason: str = "", notifies: bool = True
) -> SeasonOpening:
    return SeasonOpening.objects.create(
        year=plan.year,
        windows={quarter: window_to_json(window) for quarter, window in plan.windows.items()},
        choice=plan.choice.as_json(),
        announce=plan.announce,
        job=queue.add_job("season", notifies=notifies),
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        reason=reason,
    )


def _caller(opening: SeasonOpening) -> Caller:
    return Caller(id=opening.actor_id, username=opening.actor_username, email=opening.actor_email)


def _with_days(
    usual: Window, opens: date | None, timely_until: date | None, closes: date | None
) -> Window:
    """Return the window with the given days; the deadline is kept between the others."""
    first, last = opens or usual.opens, closes or usual.closes
    return Window(first, timely_until or min(max(usual.timely_until, first), last), last)


@transaction.atomic
def _set_windows(opening: SeasonOpening, plan: SeasonPlan, by: Caller) -> dict[str, Window | None]:
    """Create and change the windows; return those before, also in a later attempt.

    They are stored with the opening, because a later attempt could no longer read them.
    """
    if all("before" in days for days in opening.windows.values()):
        earlier = {quarter: days["before"] for quarter, days in opening.windows.items()}
        return {quarter: window_from_json(old) if old else None for quarter, old in earlier.items()}
    before: dict[str, Window | None] = {}
    for quarter, new in plan.windows.items():
        period, is_new = FilingPeriod.objects.get_or_create(
            year=plan.year, quarter=quarter, defaults=new._asdict()
        )
        old = None if is_new else Window.of(period)
        if old and old != new:
            old = change_window(period, new, by=by, reason=opening.reason)
        before[quarter] = old
        opening.windows[quarter]["before"] = window_to_json(old) if old else None
    opening.save(update_fields=["windows"])
    return before


def _create_filings(plan: SeasonPlan, opening: SeasonOpening, lease: Lease) -> None:
    counts = plan.filing_counts()
    lease.rows_total = sum(count.expected for count in counts.values())
    lease.rows_done = sum(count.existing for count in counts.values())
    for quarter, count in counts.items():
        if count.existing == count.expected:
            continue
        period = FilingPeriod.objects.get(year=plan.year, quarter=quarter)
        filers = plan.expected_filers(quarter)
        missing = filers.exclude(filings__period=period).values_list("pk", flat=True)
        last: int | None = 0
        while last is not None:
            last = _create_chunk(missing.filter(pk__gt=last)[:CHUNK], period, opening, lease)
    lease.rows_done = lease.rows_total


@transaction.atomic
def _create_chunk(
    missing: QuerySet[Institution, int],
    period: FilingPeriod,
    opening: SeasonOpening,
    lease: Lease,
) -> int | None:
    """Create the filings of some institutions; return the key of the last one, none at the end."""
    keys = list(missing)
    filings = [
        Filing(institution_id=key, period=period, opening=opening, started_at=opening.at)
        for key in keys
    ]
    Filing.objects.bulk_create(filings, ignore_conflicts=True)
    lease.rows_done += len(keys)
    lease.renew()
    return keys[-1] if len(keys) == CHUNK else None


def _opened_periods(
    plan: SeasonPlan, opening: SeasonOpening, before: dict[str, Window | None]
) -> tuple[OpenedPeriod, ...]:
    numbers = dict(
        find_opened_filings(opening).order_by().values_list("period__quarter").annotate(Count("pk"))
    )
    return tuple(
        OpenedPeriod(
            plan.period(quarter),
            plan.windows[quarter],
            made=numbers.get(quarter, 0),
            existing=count.existing - numbers.get(quarter, 0),
            before=before[quarter],
        )
        for quarter, count in plan.filing_counts().items()
    )


@dataclass(frozen=True)
class UndoPlan:
    """What undoing an opening would mean.

    moved: the days that each period had before. others: the periods that stay as they are.
    """

    filings: RemovalPlan
    created: tuple[FilingPeriod, ...]
    moved: tuple[tuple[FilingPeriod, Window], ...]
    others: tuple[FilingPeriod, ...]
    emails: int

    def __str__(self) -> str:
        sentences = [
            f"Filings: {self.filings.filings:,}, with submissions: {self.filings.submitted:,}. "
            f"{self.filings if self.filings.filings else 'No filing is removed.'}",
            _about("Removed, because it created them: periods {}.", self.created),
            *(f"{period} gets its days back: {days}." for period, days in self.moved),
            _about("Kept as they are, changed or used since: periods {}.", self.others),
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


def lock_opening(opening: SeasonOpening) -> SeasonOpening:
    """Return an opening; it, its filings and the periods of its year are locked.

    Raises: NotReady, before it locks anything, where its job may hold the same rows.
    """
    _require_ended(opening)
    locked = SeasonOpening.objects.select_for_update(of=("self",)).get(pk=opening.pk)
    _lock_periods(locked.year)
    removal.lock_filings(find_opened_filings(locked))
    return locked


def _require_ended(opening: SeasonOpening) -> None:
    if opening.undone_at:
        raise NotReady("This opening is undone already.")
    if opening.job.is_unfinished:
        raise NotReady("This opening is still running. Wait until its job is done or has failed.")


def _lock_periods(year: int) -> None:
    list(FilingPeriod.objects.filter(year=year).order_by("pk").select_for_update())


def undo_opening(opening: SeasonOpening, *, by: Caller, reason: str) -> str:
    """Undo an opening, and record it in the audit log; return what was done.

    Raises: what `plan_undo` raises; BadInput without a reason.
    """
    require_reason(reason)
    with transaction.atomic():
        locked = lock_opening(opening)
        plan = _plan(locked)
        if plan.filings.filings:
            removal.remove_unfiled(find_opened_filings(locked))
        for period in plan.created:
            period.delete()
        for period, days in plan.moved:
            change_window(period, days, by=by, reason=reason)
        locked.undone_at = timezone.now()
        locked.save(update_fields=["undone_at"])
        number = plan.filings.filings
        outcome = "1 filing was removed" if number == 1 else f"{number:,} filings were removed"
        audit.record_event(
            AuditEvent.SEASON_UNDONE,
            by=by,
            about=f"{locked.year}, opening {locked.pk}",
            reason=f"{reason.strip()}\n{plan}",
        )
        text = "Opening %s of season %s was undone by %s: %s"
        transaction.on_commit(partial(log.info, text, locked.pk, locked.year, by, outcome))
    opening.undone_at = locked.undone_at
    return f"Undone: {outcome}."


def _plan(opening: SeasonOpening) -> UndoPlan:
    _require_ended(opening)
    filings = removal.plan_removal(find_opened_filings(opening))
    if filings.submitted or filings.held:
        raise NotReady(str(filings))
    used = Filing.objects.filter(period__year=opening.year).exclude(
        pk__in=find_opened_filings(opening).values("pk")
    )
    in_use = set(used.order_by().values_list("period_id", flat=True).distinct())
    created, moved, others = [], [], []
    for period in FilingPeriod.objects.filter(year=opening.year).order_by("quarter"):
        days = opening.windows.get(period.quarter)
        if days is None or "before" not in days:
            continue
        new = window_from_json(days)
        before = window_from_json(days["before"]) if days["before"] else None
        is_as_opened = Window.of(period) == new
        if before is None and period.pk not in in_use and is_as_opened:
            created.append(period)
        elif before and before != new and is_as_opened:
            moved.append((period, before))
        elif before != new:
            others.append(period)
    report = read_report(opening)
    emails = report.emails if report else 0
    return UndoPlan(filings, tuple(created), tuple(moved), tuple(others), emails)
