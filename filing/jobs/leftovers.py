"""Stored folders of attempts that did not succeed, whose worker or web process was gone.

An attempt that succeeds removes the folders of earlier ones. A stage that never does leaves them.
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

LOOKED_FOR = timedelta(days=7)  # after the age at which it may go; one is not looked for for good


def clear() -> int:
    """Remove the folders of attempts at stages of submissions; return how many."""
    removed = 0
    of_submissions = ended(Job.OF_SUBMISSIONS).select_related(
        "job__submission__filing__institution", "job__submission__filing__period"
    )
    for attempt in of_submissions.iterator():
        submission = attempt.job.submission
        if submission is not None:
            removed += remove(submission, attempt, kept=_in_use(submission))
    return removed


def ended(stages: tuple[str, ...]) -> QuerySet[Attempt]:
    """Return the attempts that ended without success, so long ago that nothing writes there."""
    until = timezone.now() - timedelta(hours=settings.LEFTOVER_HOURS)
    return (
        Attempt.objects.filter(job__stage__in=stages)
        .filter(ended_at__lt=until, ended_at__gt=until - LOOKED_FOR)
        .exclude(outcome=Attempt.Outcome.DONE)
        .exclude(owner="")
    )


def remove(submission: Submission, attempt: Attempt, *, kept: set[str]) -> bool:
    """Remove the folder of an attempt, if it left one; tell whether. kept: those that count."""
    mark = attempts.mark(attempt.number, attempt.owner)
    folder = storage.folder(submission, attempt.job.stage, mark)
    if folder in kept or not storage.has_files(folder):
        return False
    storage.discard(folder)
    return True


def _in_use(submission: Submission) -> set[str]:
    raw = posixpath.dirname(submission.raw_file)
    return {raw, submission.parse_folder, submission.edits_folder}
