"""The one upload of a submission: opened, received, or taken back so that it can be tried again."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from filing import storage
from filing.access import Caller
from filing.errors import BadInput, LostLease, NotReady, Refusal
from filing.jobs import claims, queue
from filing.models import Submission
from filing.periods import filings
from filing.registries.kinds import Lease
from filing.statuses import Event, Status
from filing.submissions import moves

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Upload:
    """A file that has arrived whole and lies on this machine."""

    path: Path
    name: str
    size: int
    sha256: str


@contextmanager
def receiving(submission: Submission, *, by: Caller) -> Iterator[Lease]:
    """Open a submission for its one upload; whatever goes wrong inside leaves it as it was.

    Raises: NotReady when it has a file already, one is just arriving, or the filing was cancelled;
    PeriodClosed.
    """
    refused = NotReady(f"Submission {submission} not available for upload")
    filings.require_open_today(submission.filing.period)
    filings.require_owed(submission.filing)
    if submission.status != Status.CREATED:
        raise refused
    try:
        with transaction.atomic():
            moves.move(submission, Event.UPLOAD_STARTED, by=by)
            lease = claims.occupy(submission, "upload")
    except moves.Overtaken:
        raise refused from None
    try:
        with lease.kept():
            yield lease
    except BaseException as error:
        is_put_back = _put_back(submission, lease, str(error), by=by)
        if is_put_back and not isinstance(error, Refusal):
            _discard_upload(submission, lease)
        raise


def _put_back(submission: Submission, lease: Lease, reason: str, *, by: Caller) -> bool:
    """Open the submission for another upload; tell whether that was still to be done."""
    try:
        with transaction.atomic():
            lease.fail(reason)
            moves.move(submission, Event.UPLOAD_REFUSED, by=by, reason=reason)
    except (LostLease, NotReady):
        return False  # it was abandoned meanwhile and put back by the sweeper
    return True


def _discard_upload(submission: Submission, lease: Lease) -> None:
    """Delete what an upload has stored that was not received.

    To be called when the submission was put back: only then is that sure. A database that goes away
    at the end of a transaction may have kept it, and with it the file.
    """
    stored = storage.folder(submission, "upload", lease.mark)
    try:
        storage.discard(stored)
    except Exception as error:  # of whatever library the storage has
        log.warning("The storage still has what is left of an upload in %s: %s", stored, error)


def receive(submission: Submission, lease: Lease, upload: Upload, *, by: Caller) -> None:
    """Store an upload and queue its parsing.

    Raises: BadInput when the upload was given up meanwhile because no bytes came for too long.
    """
    name = f"{storage.folder(submission, 'upload', lease.mark)}/{storage.RAW}"
    storage.keep(upload.path, name)
    try:
        with transaction.atomic():
            lease.finish()
            moves.move(
                submission,
                Event.UPLOAD_FINISHED,
                by=by,
                file_name=upload.name,
                size=upload.size,
                sha256=upload.sha256,
                raw_file=name,
                uploaded_at=timezone.now(),
                failure="",
            )
            queue.add("parse", submission=submission)
    except (LostLease, NotReady) as error:
        storage.discard(storage.folder(submission, "upload", lease.mark))
        raise _not_received(submission) from error


def _not_received(submission: Submission) -> BadInput:
    stopped = Submission.objects.filter(pk=submission.pk, status=Status.FAILED).first()
    if stopped:
        return BadInput(f"The submission was ended while the file arrived: {stopped.failure}")
    return BadInput(
        "The upload was given up because no data arrived for "
        f"{settings.JOB_LEASE_SECONDS} seconds. Upload the file again."
    )


def abandon_upload(submission: Submission) -> None:
    """Take back an upload whose web process is gone, so that the filer can upload again."""
    moves.move(
        submission,
        Event.UPLOAD_ABANDONED,
        reason=f"No data arrived for {settings.JOB_LEASE_SECONDS} seconds.",
    )
    storage.discard_other_attempts(submission, "upload", kept="")
