"""Opens a season: as a job that a form queues, or at once by a command.

It may be repeated, stopped at any time and continued, and run twice at the same time: existing
windows and filings stay, and a filing is created only once.
"""

from __future__ import annotations

import logging
from datetime import date
from functools import partial

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.errors import BadInput
from filing.jobs import claims, queue
from filing.lar.period import Period
from filing.models import AuditEvent, Filing, FilingPeriod, Institution, SeasonOpening
from filing.registries.kinds import Lease
from filing.seasons import announcement
from filing.seasons.choice import Choice
from filing.seasons.plan import Plan
from filing.seasons.report import OpenedPeriod, SeasonReport, days, report_of, window
from filing.seasons.windows import Window, change, current, require_rulebook, windows

log = logging.getLogger(__name__)

CHUNK = 2_000  # filings created in one transaction


def queue_opening(plan: Plan, *, by: Caller, reason: str, force: bool = False) -> SeasonOpening:
    """Queue the opening of a season and return it.

    force: even without a census.

    Raises: BadInput, also without a reason; NotReady without a census.
    """
    if not reason.strip():
        raise BadInput("Enter the reason for opening the season. It is recorded in the audit log.")
    plan.require_openable(force=force)
    with transaction.atomic():
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
    existing = current(year)
    usual = windows(year) if quarters else {"": windows(year)[""]}
    chosen = {
        quarter: _with_days(existing.get(quarter, default), opens, timely_until, closes)
        for quarter, default in usual.items()
    }
    plan = Plan(year, chosen, announce=announce)
    plan.require_openable(force=force)
    with transaction.atomic():
        opening = _create(plan, by=by, notifies=False)
        lease = claims.claim(opening.job_id)
        assert lease is not None, "No other process sees this job before it is committed."
        run(lease)
        opening.refresh_from_db()
        report = report_of(opening)
        assert report is not None
        transaction.set_rollback(dry_run)
    return SeasonReport(year, report.periods, dry_run, report.emails, report.seconds)


def run(lease: Lease) -> None:
    """Open the season of a job: the windows, the filings, the emails, and then the report."""
    opening = SeasonOpening.objects.get(job_id=lease.job_id)
    plan, by = plan_of(opening), _caller(opening)
    before = _set_windows(opening, plan, by)
    _create_filings(plan, opening, lease)
    emails = announcement.write(plan, opening, lease) if plan.announce else 0
    report = SeasonReport(
        plan.year,
        _opened_periods(plan, opening, before),
        emails=emails,
        seconds=(timezone.now() - lease.started_at).total_seconds(),
    )
    with transaction.atomic():
        lease.finish()
        SeasonOpening.objects.filter(pk=opening.pk).update(report=report.as_json())
        audit.record(AuditEvent.SEASON_OPENED, by=by, about=str(plan.year), reason=opening.reason)
        text = "Season %s was opened for %s: %s filings created"
        transaction.on_commit(partial(log.info, text, plan.year, by, report.made))


def plan_of(opening: SeasonOpening) -> Plan:
    """Return the plan of an opening."""
    return Plan(
        opening.year,
        {quarter: window(stored) for quarter, stored in opening.windows.items()},
        Choice.of_json(opening.choice),
        opening.announce,
    )


def filings_of(opening: SeasonOpening) -> QuerySet[Filing]:
    """Return the filings that an opening created.

    A process of a former release does not name the opening, but starts them at its time.
    """
    unnamed = Q(opening=None, started_at=opening.at, period__year=opening.year)
    return Filing.objects.filter(Q(opening=opening) | unnamed)


def _create(plan: Plan, *, by: Caller, reason: str = "", notifies: bool = True) -> SeasonOpening:
    return SeasonOpening.objects.create(
        year=plan.year,
        windows={quarter: days(window) for quarter, window in plan.windows.items()},
        choice=plan.choice.as_json(),
        announce=plan.announce,
        job=queue.add("season", notifies=notifies),
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
def _set_windows(opening: SeasonOpening, plan: Plan, by: Caller) -> dict[str, Window | None]:
    """Create and change the windows; return those before, also in a later attempt.

    They are stored with the opening, because a later attempt could no longer read them.
    """
    if all("before" in stored for stored in opening.windows.values()):
        earlier = {quarter: stored["before"] for quarter, stored in opening.windows.items()}
        return {quarter: window(old) if old else None for quarter, old in earlier.items()}
    before: dict[str, Window | None] = {}
    for quarter, new in plan.windows.items():
        period, is_new = FilingPeriod.objects.get_or_create(
            year=plan.year, quarter=quarter, defaults=new._asdict()
        )
        old = None if is_new else Window.of(period)
        if old and old != new:
            old = change(period, new, by=by, reason=opening.reason)
        before[quarter] = old
        opening.windows[quarter]["before"] = days(old) if old else None
    opening.save(update_fields=["windows"])
    return before


def _create_filings(plan: Plan, opening: SeasonOpening, lease: Lease) -> None:
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
    plan: Plan, opening: SeasonOpening, before: dict[str, Window | None]
) -> tuple[OpenedPeriod, ...]:
    made = dict(filings_of(opening).order_by().values_list("period__quarter").annotate(Count("pk")))
    return tuple(
        OpenedPeriod(
            plan.period(quarter),
            plan.windows[quarter],
            made=made.get(quarter, 0),
            existing=count.existing - made.get(quarter, 0),
            before=before[quarter],
        )
        for quarter, count in plan.filing_counts().items()
    )
