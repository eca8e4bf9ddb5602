"""Who uploaded and verified a submission, when and why. Only reads."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from filing.access import Caller
from filing.models import StatusChange, Submission
from filing.statuses import Event

_KINDS = {Event.QUALITY_VERIFIED.name: "quality", Event.MACRO_VERIFIED.name: "macro"}
_UPLOAD = Event.UPLOAD_STARTED.name
# Of an upload in parts, one user may begin it and another one send the last part.
_PARTS = (*_KINDS, Event.EVERYTHING_VERIFIED.name, _UPLOAD, Event.UPLOAD_FINISHED.name)


def uploaders(submissions: Iterable[Submission]) -> dict[int, StatusChange]:
    """Return the entry in the history that began the upload, by the key of the submission."""
    uploads = StatusChange.objects.filter(submission__in=list(submissions), event=_UPLOAD)
    return {entry.submission_id: entry for entry in uploads.order_by("id")}


def verifications(submission: Submission) -> dict[str, StatusChange]:
    """Return the entry in the history that verified each kind of edits that is verified."""
    entries = StatusChange.objects.filter(submission=submission, event__in=list(_KINDS))
    latest = {_KINDS[entry.event]: entry for entry in entries.order_by("id")}
    return {
        kind: entry for kind, entry in latest.items() if getattr(submission, f"{kind}_verified")
    }


def took_part(submission: Submission, caller: Caller) -> bool:
    """Tell whether the caller uploaded the file of a submission or verified any of its edits."""
    own = Q(actor_id=caller.id)
    if caller.email:
        own |= Q(actor_email__iexact=caller.email)
    return StatusChange.objects.filter(own, submission=submission, event__in=_PARTS).exists()
