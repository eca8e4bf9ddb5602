"""Opening a season: asked for by a form and worked on as a job, or done at once by a command.

It may be repeated, stopped at any moment and taken up again, and done twice at a time: windows and
filings that are there stay, and a filing is made once.
"""

from __future__ import annotations

import logging
from datetime import date

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.errors import BadInput
from filing.jobs import claims, queue
from filing.models import Filing, FilingPeriod, Happening, Institution, SeasonOpening
from filing.registries.kinds import Lease
from filing.seasons import announcement
from filing.seasons.choice import Choice
from filing.seasons.plan import Plan, require_rulebook
from filing.seasons.report import OpenedPeriod, SeasonReport, days, report_of, window
from filing.seasons.windows import Window, change, current, windows

log = logging.getLogger(__name__)

CHUNK = 2_000  # filings that are made in one transaction


def ask(plan: Plan, *, by: Caller, reason: str, force: bool = False) -> SeasonOpening:
    """Queue the opening of a season and return it.

    force: even without a census.

    Raises: BadInput, also without a reason; NotReady without a census.
    """
    if not reason.strip():
        raise BadInput("Say why the season is opened: one sentence for the trail will do.")
    plan.require_sense(force=force)
    with transaction.atomic():
        opening = _written(plan, by=by, reason=reason.strip())
    log.info("Season %s was asked for by %s", plan.year, by)
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
    """Make the periods of a year at once, and for each a filing of all institutions that owe one.

    The days of a period that is there stay unless other ones are given, which then hold for every
    period of the year.

    Raises: BadInput for a year without a rulebook or days out of order; NotReady without a census.
    """
    require_rulebook(year)
    there = current(year)
    usual = windows(year) if quarters else {"": windows(year)[""]}
    wanted = {
        quarter: _moved(there.get(quarter, each), opens, timely_until, closes)
        for quarter, each in usual.items()
    }
    plan = Plan(year, wanted, announce=announce)
    plan.require_sense(force=force)
    with transaction.atomic():
        opening = _written(plan, by=by, rings=False)
        lease = claims.claim(opening.job_id)
        assert lease is not None, "Nobody else sees this job before it is committed."
        run(lease)
        opening.refresh_from_db()
        report = report_of(opening)
        assert report is not None
        transaction.set_rollback(dry_run)
    return SeasonReport(year, report.periods, dry_run, report.mails, report.seconds)


def run(lease: Lease) -> None:
    """Open the season of a job: the windows, then the filings, then the mails, then the report."""
    opening = SeasonOpening.objects.get(job_id=lease.job_id)
    plan, by = plan_of(opening), _asker(opening)
    before = _set_windows(opening, plan, by)
    _make_filings(plan, opening, lease)
    mails = announcement.write(plan, opening, lease) if plan.announce else 0
    report = SeasonReport(
        plan.year,
        _opened(plan, opening, before),
        mails=mails,
        seconds=(timezone.now() - lease.started_at).total_seconds(),
    )
    with transaction.atomic():
        lease.finish()
        SeasonOpening.objects.filter(pk=opening.pk).update(report=report.as_json())
        audit.record(Happening.SEASON_OPENED, by=by, about=str(plan.year), reason=opening.reason)
    log.info("Season %s was opened for %s: %s filings made", plan.year, by, report.made)


def plan_of(opening: SeasonOpening) -> Plan:
    """Return what was asked for."""
    return Plan(
        opening.year,
        {quarter: window(stored) for quarter, stored in opening.windows.items()},
        Choice.of_json(opening.choice),
        opening.announce,
    )


def _written(plan: Plan, *, by: Caller, reason: str = "", rings: bool = True) -> SeasonOpening:
    return SeasonOpening.objects.create(
        year=plan.year,
        windows={quarter: days(wanted) for quarter, wanted in plan.windows.items()},
        choice=plan.choice.as_json(),
        announce=plan.announce,
        job=queue.add("season", rings=rings),
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        reason=reason,
    )


def _asker(opening: SeasonOpening) -> Caller:
    return Caller(id=opening.actor_id, username=opening.actor_username, email=opening.actor_email)


def _moved(
    usual: Window, opens: date | None, timely_until: date | None, closes: date | None
) -> Window:
    """Return the window with the days that are given; the deadline gives way to the others."""
    first, last = opens or usual.opens, closes or usual.closes
    return Window(first, timely_until or min(max(usual.timely_until, first), last), last)


@transaction.atomic
def _set_windows(opening: SeasonOpening, plan: Plan, by: Caller) -> dict[str, Window | None]:
    """Make and move the windows; returns those there were, also when this was done before.

    They are kept with the opening, as an attempt that is taken up again could not tell any more.
    """
    if all("before" in stored for stored in opening.windows.values()):
        kept = {quarter: stored["before"] for quarter, stored in opening.windows.items()}
        return {quarter: window(was) if was else None for quarter, was in kept.items()}
    before: dict[str, Window | None] = {}
    for quarter, wanted in plan.windows.items():
        period, is_new = FilingPeriod.objects.get_or_create(
            year=plan.year, quarter=quarter, defaults=wanted._asdict()
        )
        was = None if is_new else Window.of(period)
        if was and was != wanted:
            was = change(period, wanted, by=by, reason=opening.reason)
        before[quarter] = was
        opening.windows[quarter]["before"] = days(was) if was else None
    opening.save(update_fields=["windows"])
    return before


def _make_filings(plan: Plan, opening: SeasonOpening, lease: Lease) -> None:
    owed = plan.owed()
    lease.rows_total = sum(each.all for each in owed.values())
    lease.rows_done = sum(each.existing for each in owed.values())
    for quarter, counted in owed.items():
        if counted.existing == counted.all:
            continue
        period = FilingPeriod.objects.get(year=plan.year, quarter=quarter)
        missing = plan.owing(quarter).exclude(filings__period=period).values_list("pk", flat=True)
        last: int | None = 0
        while last is not None:
            last = _make_some(missing.filter(pk__gt=last)[:CHUNK], period, opening, lease)
    lease.rows_done = lease.rows_total


@transaction.atomic
def _make_some(
    missing: QuerySet[Institution, int],
    period: FilingPeriod,
    opening: SeasonOpening,
    lease: Lease,
) -> int | None:
    """Make the filings of some institutions; returns the last of these, none at the end."""
    keys = list(missing)
    # By when it was started, a filing can be told from those of another opening at the same time.
    made = [Filing(institution_id=key, period=period, started_at=opening.at) for key in keys]
    Filing.objects.bulk_create(made, ignore_conflicts=True)
    lease.rows_done += len(keys)
    lease.renew()
    return keys[-1] if len(keys) == CHUNK else None


def _opened(
    plan: Plan, opening: SeasonOpening, before: dict[str, Window | None]
) -> tuple[OpenedPeriod, ...]:
    made = dict(
        Filing.objects.filter(period__year=plan.year, started_at=opening.at)
        .order_by()
        .values_list("period__quarter")
        .annotate(Count("pk"))
    )
    return tuple(
        OpenedPeriod(
            plan.period(quarter),
            plan.windows[quarter],
            made=made.get(quarter, 0),
            existing=counted.existing - made.get(quarter, 0),
            before=before[quarter],
        )
        for quarter, counted in plan.owed().items()
    )
