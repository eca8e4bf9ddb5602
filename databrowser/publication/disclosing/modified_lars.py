"""Public rows of signed submissions: asked for with the signature, and again where it is needed."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from databrowser.models import ModifiedLar, ModifiedLars
from filing.access import SERVICE, Caller
from filing.audit import notes
from filing.errors import NotReady
from filing.jobs import queue
from filing.models import Job, ReferenceData, Submission
from filing.reference import kinds
from filing.reference_data import registry
from filing.statuses import Status

STAGE = "disclose"
# How the files are written: 2 since public rows leave the order of the filed file.
REVISION = 2
_YEAR = "submission__filing__period__year"


def follow(sender: Any, submission: Submission, **_: Any) -> None:
    """Ask for the public rows of a submission that is being signed. A receiver of its signal."""
    ask(submission)


def ask(submission: Submission) -> ModifiedLar:
    """Queue the making of the public rows of a submission.

    To be called inside the transaction that signs it; once for each submission.
    """
    job = _errand(submission)
    return ModifiedLar.objects.create(submission=submission, job=job)


def ask_for_missing() -> int:
    """Queue the signed submissions that nobody has asked for; return how many there were."""
    missing = Submission.objects.filter(status=Status.SIGNED, modified_lar=None).order_by("pk")
    asked = 0
    for submission in missing.iterator(chunk_size=500):
        with transaction.atomic():
            ask(submission)
        asked += 1
    return asked


def outdated() -> QuerySet[ModifiedLar]:
    """Return what was made with other reference data than count now, or with none then loaded."""
    made = _made()
    years = list(made.order_by(_YEAR).values_list(_YEAR, flat=True).distinct())
    differs = Q(pk__in=[])
    for each in years:
        now = reference_data(each)
        same = Q(census=now[kinds.CENSUS], limits=now[kinds.COUNTY_LIMITS])
        differs |= Q(**{_YEAR: each}) & ~same
    return made.filter(differs)


def renew() -> int:
    """Queue what was written by an earlier revision once more; return how many submissions.

    What is being made, or failed, stays as it is: staff see it in the admin.
    """
    earlier = _made().annual().filter(revision__lt=REVISION)
    renewed = 0
    for made in earlier.filter(Q(job=None) | Q(job__state=Job.State.DONE)).iterator(chunk_size=500):
        again(made, by=SERVICE, reason="The order of public rows no longer follows the file.")
        renewed += 1
    return renewed


def of_year(year: int) -> QuerySet[ModifiedLar]:
    """Return what was made of the submissions of a year, with whatever reference data."""
    return _made().filter(**{_YEAR: year})


def _made() -> ModifiedLars:
    made = ModifiedLar.objects.made()
    return made.select_related("job", "submission__filing__period").order_by("pk")


def plan_again(made: ModifiedLar) -> str:
    """Return what making the public rows again would do.

    Raises: NotReady while they are being made.
    """
    if made.job and made.job.is_unfinished:
        raise NotReady("It is being made already.")
    with_now = reference_data(made.submission.period.year)
    told = ", ".join(
        f"{kinds.KINDS[kind].label}: {data.source if data else 'none'}"
        for kind, data in with_now.items()
    )
    return f"Its public rows are made again from the file that was signed, with {told}."


def again(made: ModifiedLar, *, by: Caller, reason: str) -> str:
    """Make the public rows of a submission again, with a note of who wanted it.

    Returns what was done. Until then those that were made before count.

    Raises: NotReady while they are being made; BadInput without a reason.
    """
    plan_again(made)
    with transaction.atomic():
        notes.add(made, by=by, text=reason)
        job = made.job
        if job is None:
            job = _errand(made.submission)
            ModifiedLar.objects.filter(pk=made.pk).update(job=job)
        elif not queue.again(job, rows_total=made.submission.lines):
            raise NotReady("Another user queued it just now.")
    return "It is in the queue."


def _errand(submission: Submission) -> Job:
    return queue.add(
        STAGE,
        large=queue.is_large(submission),
        rows_total=submission.lines,
    )


def reference_data(year: int) -> dict[str, ReferenceData | None]:
    """Return what counts now of the reference data that public rows are made with, by kind."""
    return {kind: registry.active(kind, year) for kind in (kinds.CENSUS, kinds.COUNTY_LIMITS)}
