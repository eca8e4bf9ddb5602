"""Stored folders of failed attempts, left behind by workers or web processes that were killed.

An attempt that succeeds removes the folders of earlier ones. Those of a stage that never succeeds
are removed here.
"""

from __future__ import annotations

import posixpath
from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from filing import storage
from filing.jobs import attempts
from filing.models import Attempt, Job, Submission

SEARCH_PERIOD = timedelta(days=7)  # for which a folder is looked for, once it is old enough


def clear() -> int:
    """Discard the folders of failed attempts at stages of submissions; return how many."""
    removed = 0
    failed_attempts = failed(Job.OF_SUBMISSIONS).select_related(
        "job__submission__filing__institution", "job__submission__filing__period"
    )
    for attempt in failed_attempts.iterator():
        submission = attempt.job.submission
        if submission is not None:
            removed += remove(submission, attempt, in_use=_in_use(submission))
    return removed


def failed(stages: tuple[str, ...]) -> QuerySet[Attempt]:
    """Return the failed attempts that ended so long ago that nothing writes to their folders."""
    until = timezone.now() - timedelta(hours=settings.LEFTOVER_HOURS)
    return (
        Attempt.objects.filter(job__stage__in=stages)
        .filter(ended_at__lt=until, ended_at__gt=until - SEARCH_PERIOD)
        .exclude(outcome=Attempt.Outcome.DONE)
        .exclude(owner="")
    )


def remove(submission: Submission, attempt: Attempt, *, in_use: set[str]) -> bool:
    """Discard the folder of an attempt; false if it left none, it is in use, or discarded."""
    mark = attempts.mark(attempt.number, attempt.owner)
    folder = storage.folder(submission, attempt.job.stage, mark)
    if folder in in_use or not storage.has_files(folder):
        return False
    return storage.discard(folder)


def _in_use(submission: Submission) -> set[str]:
    raw = posixpath.dirname(submission.raw_file)
    return {raw, submission.parse_folder, submission.edits_folder}
