"""Who uploaded, verified and stopped a submission, when and why. Only reads."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from filing.access import Caller
from filing.models import StatusChange, Submission
from filing.statuses import Event, Status

_KINDS = {Event.QUALITY_VERIFIED.name: "quality", Event.MACRO_VERIFIED.name: "macro"}
_UPLOAD = Event.UPLOAD_STARTED.name
_PARTS = (*_KINDS, Event.EVERYTHING_VERIFIED.name, _UPLOAD)


def uploaders(submissions: Iterable[Submission]) -> dict[int, StatusChange]:
    """Return the line of the history in which the upload of each submission began, by its key."""
    uploads = StatusChange.objects.filter(submission__in=list(submissions), event=_UPLOAD)
    return {line.submission_id: line for line in uploads.order_by("id")}


def verifications(submission: Submission) -> dict[str, StatusChange]:
    """Return the line of the history in which each kind that is verified was verified."""
    lines = StatusChange.objects.filter(submission=submission, event__in=list(_KINDS))
    latest = {_KINDS[line.event]: line for line in lines.order_by("id")}
    return {kind: line for kind, line in latest.items() if getattr(submission, f"{kind}_verified")}


def stopped(submissions: Iterable[Submission]) -> set[int]:
    """Return the keys of those that staff have stopped, and that were not tried again since."""
    failed = [each.pk for each in submissions if each.status == Status.FAILED]
    if not failed:
        return set()
    ends = StatusChange.objects.filter(submission__in=failed, after=Status.FAILED)
    latest = dict(ends.order_by("id").values_list("submission", "event"))
    return {key for key, event in latest.items() if event == Event.STOPPED.name}


def took_part(submission: Submission, caller: Caller) -> bool:
    """Tell whether the caller uploaded the file of a submission or verified any of its edits."""
    own = Q(actor_id=caller.id)
    if caller.email:
        own |= Q(actor_email__iexact=caller.email)
    return StatusChange.objects.filter(own, submission=submission, event__in=_PARTS).exists()
