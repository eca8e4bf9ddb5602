"""What waits for staff, counted for the work list on the front page: one statement each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from filing import day_hours
from filing.jobs import queue
from filing.models import Announcement, Case, Filing, Job, RecordProposal, Submission
from filing.periods import filings, timeliness
from filing.reference_data import loading
from filing.registries import Backlog
from filing.seasons import figures
from filing.submissions import halts, reference_checks

ANNOUNCEMENT_DAYS = 7  # before its end, in which an announcement is listed


def _count_since(
    rows: QuerySet[Submission] | QuerySet[Job] | QuerySet[Case] | QuerySet[RecordProposal],
    column: str,
) -> Backlog:
    numbers = rows.order_by().aggregate(number=Count("pk"), since=Min(column))
    return Backlog(numbers["number"], since=numbers["since"])


def count_stopped() -> Backlog:
    """Count the failed submissions without a later one."""
    rows = Submission.objects.filter(halts.is_failed_without_successor())
    return _count_since(rows, "changed_at")


def count_stuck() -> Backlog:
    """Count the submissions that the service should process, and does not."""
    return _count_since(Submission.objects.filter(halts.is_stuck()), "changed_at")


def count_failed_jobs() -> Backlog:
    """Count the jobs that failed after their last attempt."""
    return _count_since(queue.find_failed_jobs(), "finished_at")


def count_retrying_jobs() -> Backlog:
    """Count the jobs that failed and wait for their next attempt."""
    return _count_since(Job.objects.filter(state=Job.State.QUEUED, attempts__gt=0), "queued_at")


def count_open_cases() -> Backlog:
    """Count the cases without an answer, apart from proposals, which are answered as such."""
    rows = Case.objects.filter(state=Case.State.OPEN, record_proposal=None)
    return _count_since(rows, "opened_at")


def count_open_proposals() -> Backlog:
    """Count the proposals for the panel without an answer."""
    return _count_since(RecordProposal.objects.filter(state=RecordProposal.State.OPEN), "at")


def _count_filings(condition: Callable[[], Q]) -> Backlog:
    """Count filings, with the first deadline: of a filing with an extension, that one."""
    rows = Filing.objects.filter(condition()).order_by()
    extended = timeliness.match_extensions()
    ends = Min("period__timely_until", filter=~extended)
    numbers = rows.aggregate(number=Count("pk"), ends=ends)
    own = rows.filter(extended).select_related("institution", "period")
    days = [numbers["ends"], *(filing.window.timely_until for filing in own)]
    return Backlog(numbers["number"], ends=min(filter(None, days), default=None))


count_filings_due_soon = partial(_count_filings, figures.is_due_soon)
count_late_filings = partial(_count_filings, figures.is_late_and_open)


def count_missing_reference_files() -> Backlog:
    """Count the files that years with an open period lack, or that those of other years replace."""
    years = set(filings.find_periods_of_today().values_list("year", flat=True))
    missing = [
        file
        for year, files in loading.list_availability()
        if year in years
        for file in files
        if not file.own and not file.kind.is_optional
    ]
    return Backlog(len(missing))


def count_checked_with_former_data() -> Backlog:
    """Count the unsigned submissions that another census has checked than the one in use."""
    return _count_since(reference_checks.find_checked_with_former_data(), "changed_at")


def count_ending_announcements() -> Backlog:
    """Count the announcements that are shown, and will end within days."""
    now = timezone.now()
    until = now + timedelta(days=ANNOUNCEMENT_DAYS)
    ending = Announcement.objects.filter(begins__lte=now, ends__gt=now, ends__lte=until)
    numbers = ending.aggregate(number=Count("pk"), ends=Min("ends"))
    first = numbers["ends"]
    day = day_hours.to_filing_zone(first).date() if first else None
    return Backlog(numbers["number"], ends=day)
