"""Removes the files of submissions that were never signed, once no one needs them any more.

The submission stays, with its history, its hash and the counts of its edits. What was signed is
never touched, whatever the settings: signatures, modified LARs and published years depend on it.

Source: 12 CFR 1003.5(a)(1)(i) has institutions keep a copy of what they *submitted*, which is what
they signed; what they did not sign is not a submission under the rule.
"""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from filing import audit, day_hours, storage
from filing.access import SERVICE
from filing.errors import NotFound
from filing.models import AuditEvent, Job, Submission
from filing.periods import legal_holds
from filing.statuses import Status

log = logging.getLogger(__name__)

_UNSIGNED = [status for status in Status if status.is_settled and status is not Status.SIGNED]
# A later submission replaces an earlier one only if its file could be read.
_REPLACING = [
    status
    for status in Status
    if status.is_settled
    and status not in {Status.CREATED, Status.FAILED, Status.PARSED_WITH_ERRORS}
]


def remove_unneeded_files() -> int:
    """Remove the files of submissions for which a rule holds; return of how many."""
    days = settings.UNSIGNED_FILE_DAYS
    if not days:
        return 0
    removed = 0
    for rule, due in _rules(days):
        related = due.select_related("filing__institution", "filing__period")
        for submission in related.iterator(chunk_size=500):
            removed += _remove(submission, due, rule)
    return removed


def describe_removal(submission: Submission) -> str:
    """Return when and why the files of a submission were removed; blank if they were not."""
    if submission.files_removed_at is None:
        return ""
    day = day_hours.describe_day(submission.files_removed_at)
    return (
        f"The file of {submission} was removed on {day} under a retention rule: "
        f"{submission.files_removed_rule}"
    )


def require_files_present(submission: Submission) -> None:
    """Refuse if the files of a submission were removed.

    Raises: NotFound, which says when and under which rule.
    """
    if removal := describe_removal(submission):
        raise NotFound(removal)


def _rules(days: int) -> Iterable[tuple[str, QuerySet[Submission]]]:
    """Return each rule in words, and the submissions for which it holds now."""
    before = timezone.now() - timedelta(days=days)
    last_day = day_hours.today() - timedelta(days=days)
    later = Submission.objects.filter(
        filing=OuterRef("filing"),
        sequence_number__gt=OuterRef("sequence_number"),
        uploaded_at__lt=before,
        status__in=_REPLACING,
    )
    unsigned = _unsigned()
    begin = "the file of a submission that was never signed is removed"
    yield (
        f"{begin} {days} days after a later submission replaced it.",
        unsigned.filter(Exists(later)),
    )
    yield (
        f"{begin} {days} days after its filing period closed.",
        unsigned.filter(filing__period__closes__lt=last_day),
    )


def _unsigned() -> QuerySet[Submission]:
    """Return the submissions with files whose files no one works on, signed or has to keep."""
    at_work = Job.objects.filter(submission=OuterRef("pk"), state__in=Job.UNFINISHED)
    return (
        legal_holds.find_removable(Submission.objects.all())
        .filter(~Exists(at_work), status__in=_UNSIGNED, signature=None, files_removed_at=None)
        .exclude(raw_file="")
        .order_by("pk")
    )


def _remove(submission: Submission, due: QuerySet[Submission], rule: str) -> bool:
    """Stop naming the files of a submission, and discard them; false if it changed."""
    folders = {
        posixpath.dirname(submission.raw_file),
        submission.parse_folder,
        submission.edits_folder,
    }
    with transaction.atomic():
        locked = Submission.objects.select_for_update(of=("self",)).filter(pk=submission.pk)
        if not locked.exists() or not due.filter(pk=submission.pk).exists():
            return False
        Submission.objects.filter(pk=submission.pk).update(
            raw_file="",
            parse_folder="",
            edits_folder="",
            files_removed_at=timezone.now(),
            files_removed_rule=rule,
        )
        for folder in sorted(folders - {""}):
            storage.discard_folder(folder)
        audit.record_event(
            AuditEvent.FILES_REMOVED,
            by=SERVICE,
            lei=submission.lei,
            about=str(submission),
            reason=rule,
        )
    log.info("The files of %s were removed: %s", submission, rule)
    return True
