"""The upload of a submission: opened, received, or abandoned so that it can be repeated."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
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
from filing.jobs.leases import JobLease
from filing.models import StatusChange, Submission
from filing.periods import filings
from filing.registries.kinds import Lease
from filing.scanning import scans
from filing.statuses import Event, Status
from filing.submissions import discarding, moves

log = logging.getLogger(__name__)
_NOT_RECEIVED = {Event.UPLOAD_REFUSED.name, Event.UPLOAD_ABANDONED.name}


@dataclass(frozen=True)
class Upload:
    """A file that has arrived completely, on this machine."""

    path: Path
    name: str
    size: int
    sha256: str


def _write_nothing() -> None:
    """Write nothing beside the submission."""


def open_for_upload(
    submission: Submission, *, by: Caller, beside: Callable[[], object] = _write_nothing
) -> JobLease:
    """Open a submission for its upload; return the lease of the one who receives it.

    beside: writes what else becomes true with it, in the same transaction.

    Raises: NotReady when it already has a file, one is arriving, or the filing is cancelled;
    Conflict when it was discarded; PeriodClosed.
    """
    refusal = NotReady(f"Submission {submission} not available for upload")
    filings.require_open_today(submission.filing.period)
    filings.require_not_cancelled(submission.filing)
    discarding.require_not_discarded(submission)
    if submission.status != Status.CREATED:
        raise refusal
    try:
        with transaction.atomic():
            moves.move(submission, Event.UPLOAD_STARTED, by=by)
            beside()
            return claims.occupy(submission, "upload")
    except moves.Overtaken:
        raise refusal from None


@contextmanager
def receiving(
    submission: Submission, *, by: Caller, beside: Callable[[], object] = _write_nothing
) -> Iterator[Lease]:
    """Open a submission for its upload; any error inside leaves it as it was.

    beside: as of `open_for_upload`.

    Raises: what `open_for_upload` raises.
    """
    lease = open_for_upload(submission, by=by, beside=beside)
    try:
        with lease.renewed():
            yield lease
    except BaseException as error:
        is_put_back = put_back(submission, lease, str(error), by=by)
        if is_put_back and not isinstance(error, Refusal):
            _discard_upload(submission, lease)
        raise


def put_back(submission: Submission, lease: Lease, reason: str, *, by: Caller) -> bool:
    """Reopen the submission for upload; false if another process has already done so."""
    try:
        with transaction.atomic():
            lease.fail(reason)
            moves.move(submission, Event.UPLOAD_REFUSED, by=by, reason=reason)
    except (LostLease, NotReady):
        return False  # the sweeper has already reopened it
    return True


def _discard_upload(submission: Submission, lease: Lease) -> None:
    """Delete the stored file of an upload that was not received.

    Call this only after the submission was reopened: if the database goes down at the end of a
    transaction, it may still have committed, and the file is in use.
    """
    stored = storage.folder(submission, "upload", lease.mark)
    try:
        storage.remove_folder(stored)
    except Exception as error:  # the storage may use any library
        log.warning("The files of an upload in %s could not be deleted: %s", stored, error)


def receive(
    submission: Submission,
    lease: Lease,
    upload: Upload,
    *,
    by: Caller,
    beside: Callable[[], object] = _write_nothing,
) -> None:
    """Scan an upload for viruses, store it, and queue its parsing.

    beside: writes what else becomes true with it, in the same transaction.

    Raises: BadInput when the upload has timed out because no data arrived; what
    `scans.require_clean` raises.
    """
    _require_clean(submission, upload, by=by)
    name = f"{storage.folder(submission, 'upload', lease.mark)}/{storage.RAW}"
    storage.store(upload.path, name)
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
            beside()
    except (LostLease, NotReady) as error:
        storage.remove_folder(storage.folder(submission, "upload", lease.mark))
        raise _upload_refusal(submission) from error


def _require_clean(submission: Submission, upload: Upload, *, by: Caller) -> None:
    facts = scans.Facts(upload.name, upload.sha256, submission.lei, str(submission))
    with upload.path.open("rb") as file:
        scans.require_clean(file, facts, by=by)


def last_refusal(submission: Submission) -> str:
    """Return why the last upload of a submission was refused or given up; blank if none was."""
    last = StatusChange.objects.filter(submission=submission).order_by("-id").first()
    return last.reason if last and last.event in _NOT_RECEIVED else ""


def _upload_refusal(submission: Submission) -> BadInput:
    stopped = Submission.objects.filter(pk=submission.pk, status=Status.FAILED).first()
    if stopped:
        return BadInput(f"The submission was stopped while the file arrived: {stopped.failure}")
    return BadInput(
        "The upload timed out because no data arrived for "
        f"{settings.JOB_LEASE_SECONDS} seconds. Upload the file again."
    )


def abandon_upload(submission: Submission) -> None:
    """Reopen a submission after its web process was lost, so that the filer can upload again."""
    moves.move(
        submission,
        Event.UPLOAD_ABANDONED,
        reason=f"No data arrived for {settings.JOB_LEASE_SECONDS} seconds.",
    )
    storage.discard_other_attempts(submission, "upload", current="")
