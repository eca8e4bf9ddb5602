"""Requests for modified LARs: with each signature, and again when reference data change.

Staff withdraw one, and publish it again.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from databrowser.models import ModifiedLar, ModifiedLars
from databrowser.publication.events import PublicationEvent
from databrowser.publication.modified_lars import row_files
from databrowser.publication.quantities import number_of
from databrowser.publication.versions import live_versions
from filing import audit
from filing.access import SERVICE, Caller
from filing.errors import NotReady
from filing.jobs import queue
from filing.models import Job, ReferenceData, Submission
from filing.reference import kinds
from filing.reference_data import registry
from filing.statuses import Status

LAR_STAGE = "disclose"
_YEAR = "submission__filing__period__year"


def request_when_signed(sender: Any, submission: Submission, **_: Any) -> None:
    """Request the modified LAR of a submission that is being signed. Receives its signal."""
    request_lar(submission)


def request_lar(submission: Submission) -> ModifiedLar:
    """Queue the modified LAR of a submission and return it.

    Call it once per submission, inside the transaction that signs it.
    """
    job = _queue(submission)
    return ModifiedLar.objects.create(submission=submission, job=job)


def request_missing_lars() -> int:
    """Queue the modified LARs of signed submissions that have none; return how many."""
    missing = Submission.objects.filter(status=Status.SIGNED, modified_lar=None).order_by("pk")
    requested = 0
    for submission in missing.iterator(chunk_size=500):
        with transaction.atomic():
            request_lar(submission)
        requested += 1
    return requested


def outdated_lars() -> QuerySet[ModifiedLar]:
    """Return the modified LARs prepared with other reference data than those now in use."""
    lars = _finished()
    years = list(lars.order_by(_YEAR).values_list(_YEAR, flat=True).distinct())
    differs = Q(pk__in=[])
    for year in years:
        current = reference_data(year)
        same = Q(census=current[kinds.CENSUS], limits=current[kinds.COUNTY_LIMITS])
        differs |= Q(**{_YEAR: year}) & ~same
    return lars.filter(differs)


def renew_outdated_lars() -> int:
    """Queue the modified LARs written by another revision again; return how many.

    Those being prepared and those that failed are left alone: staff see them in the admin.
    """
    others = _finished().exclude(revision=row_files.digest_definitions())
    renewed = 0
    for lar in others.filter(Q(job=None) | Q(job__state=Job.State.DONE)).iterator(chunk_size=500):
        make_lar_again(lar, by=SERVICE, reason="This release prepares public records differently.")
        renewed += 1
    return renewed


def list_public_lars(year: int) -> list[ModifiedLar]:
    """Return the modified LARs of a year that anyone can read."""
    return list(ModifiedLar.objects.annual().public().filter(**{_YEAR: year}).order_by("pk"))


def lars_of_year(year: int) -> QuerySet[ModifiedLar]:
    """Return the modified LARs of a year, whatever reference data they were prepared with."""
    return _finished().filter(**{_YEAR: year})


def _finished() -> ModifiedLars:
    lars = ModifiedLar.objects.made()
    return lars.select_related("job", "submission__filing__period").order_by("pk")


def plan_lar_again(lar: ModifiedLar) -> str:
    """Return what preparing a modified LAR again would do.

    Raises: NotReady while it is being prepared.
    """
    if lar.job and lar.job.is_unfinished:
        raise NotReady("It is already being prepared.")
    current = reference_data(lar.submission.period.year)
    labels = ", ".join(
        f"{kinds.REFERENCE_KINDS[kind].label}: {data.source if data else 'none'}"
        for kind, data in current.items()
    )
    return f"It is prepared again from the signed file, with {labels}."


def make_lar_again(lar: ModifiedLar, *, by: Caller, reason: str) -> str:
    """Prepare a modified LAR again, with a note of who requested it and why.

    Returns what was done. The current one stays in use until the new one is ready.

    Raises: NotReady while it is being prepared; BadInput without a reason.
    """
    plan_lar_again(lar)
    with transaction.atomic():
        audit.add_note(lar, by=by, text=reason)
        job = lar.job
        if job is None:
            job = _queue(lar.submission)
            ModifiedLar.objects.filter(pk=lar.pk).update(job=job)
        elif not queue.requeue_job(job, rows_total=lar.submission.lines):
            raise NotReady("Another user queued it just now.")
    return "It is in the queue."


def plan_withdraw_lar(lar: ModifiedLar) -> str:
    """Return what withdrawing a modified LAR would do, and what stays readable.

    Raises: NotReady when no one can read it.
    """
    _require_public(lar)
    year, lei = lar.submission.period.year, lar.submission.lei
    summary = (
        f"The modified LAR of {lei} for {year}, with {number_of(lar.rows, 'record')}, is no longer "
        "public, until staff publish it again or the institution signs another file."
    )
    public = [each.version.name for each in live_versions.published_data_sets().filter(year=year)]
    if not public:
        return summary
    return (
        f"{summary} Its records may also be in version {' and '.join(public)}, which stays public: "
        "withdraw that, too, if no one shall read them."
    )


def withdraw_lar(lar: ModifiedLar, *, by: Caller, reason: str) -> str:
    """Withdraw a modified LAR; return what was done.

    Raises: NotReady when no one can read it; BadInput without a reason.
    """
    live_versions.require_reason(reason)
    with transaction.atomic():
        locked = ModifiedLar.objects.select_for_update().get(pk=lar.pk)
        summary = plan_withdraw_lar(locked)
        _mark_withdrawn(locked, timezone.now(), PublicationEvent.MODIFIED_LAR_WITHDRAWN, by, reason)
    return summary


def plan_publish_lar(lar: ModifiedLar) -> str:
    """Return what publishing a withdrawn modified LAR again would do.

    Raises: NotReady when it is not withdrawn.
    """
    if not lar.withdrawn_at:
        raise NotReady("It is not withdrawn.")
    return f"Anyone can download the modified LAR of {lar.submission.lei} again."


def publish_lar(lar: ModifiedLar, *, by: Caller, reason: str) -> str:
    """Publish a withdrawn modified LAR again; return what was done.

    Raises: NotReady when it is not withdrawn; BadInput without a reason.
    """
    live_versions.require_reason(reason)
    with transaction.atomic():
        locked = ModifiedLar.objects.select_for_update().get(pk=lar.pk)
        summary = plan_publish_lar(locked)
        _mark_withdrawn(locked, None, PublicationEvent.MODIFIED_LAR_PUBLISHED, by, reason)
    return summary


def _require_public(lar: ModifiedLar) -> None:
    if not ModifiedLar.objects.annual().public().filter(pk=lar.pk).exists():
        why = "withdrawn already" if lar.withdrawn_at else "not public"
        raise NotReady(f"The modified LAR of {lar.submission.lei} is {why}.")


def _mark_withdrawn(
    lar: ModifiedLar, at: datetime | None, event: PublicationEvent, by: Caller, reason: str
) -> None:
    ModifiedLar.objects.filter(pk=lar.pk).update(withdrawn_at=at)
    submission = lar.submission
    audit.record_event(
        event, by=by, lei=submission.lei, about=str(submission), reason=reason.strip()
    )


def repeat_lar(submission: Submission, *, by: Caller, reason: str) -> str:
    """Prepare the modified LAR of a signed submission again; return what was done.

    Raises: NotReady while it is being prepared; BadInput without a reason.
    """
    lar = ModifiedLar.objects.select_related("job").filter(submission=submission).first()
    if lar is None:
        with transaction.atomic():
            lar = request_lar(submission)
            audit.add_note(lar, by=by, text=reason)
        return "It is in the queue."
    return make_lar_again(lar, by=by, reason=reason)


def _queue(submission: Submission) -> Job:
    return queue.add_job(LAR_STAGE, rows_total=submission.lines)


def reference_data(year: int) -> dict[str, ReferenceData | None]:
    """Return the reference data in use for modified LARs of a year, by kind."""
    return {
        kind: registry.find_active_file(kind, year) for kind in (kinds.CENSUS, kinds.COUNTY_LIMITS)
    }
