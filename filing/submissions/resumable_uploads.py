"""Uploads in parts: begun, continued by any web process, joined into the file, or ended.

While bytes arrive, the process that receives them has the lease of the upload; between two parts
the lease rests for a day. The row of an upload tells how many bytes count, and a part counts from
the transaction on that follows its storing: a killed process loses what it had not stored yet. When
all bytes are there, the parts are joined, and the file is received as any other upload.
"""

from __future__ import annotations

import hashlib
import logging
import posixpath
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from filing import scanning, storage
from filing.access import Caller
from filing.emails import outbox
from filing.errors import (
    BadInput,
    Conflict,
    InvalidFormat,
    Locked,
    LostLease,
    NotFound,
    Refusal,
    TooLarge,
    WrongChecksum,
)
from filing.jobs import claims
from filing.jobs.leases import JobLease
from filing.lar import first_line, foreign_files, raw_lines
from filing.models import Job, ResumableUpload, Submission
from filing.periods import filings
from filing.statuses import Event, Status
from filing.submissions import moves, upload_parts, uploads
from filing.submissions.ownership import Misfit, accept_any
from filing.submissions.reception import Reception, RightEnded

log = logging.getLogger(__name__)

PART_BYTES = 16 * 1024**2  # after which bytes are stored, however many follow
QUIET_SECONDS = 5  # without a byte, after which another request may continue
HEARTBEAT_SECONDS = 1  # between two heartbeats while bytes arrive
RETRY_AFTER = timedelta(minutes=1)  # when the parts could not be joined
_STAGE = "upload"
_Outcome = ResumableUpload.Outcome
_RELATED = ("submission__filing__institution", "submission__filing__period")


def begin_upload(submission: Submission, *, name: str, length: int, by: Caller) -> ResumableUpload:
    """Open a submission for an upload in parts. length: bytes of the file.

    Raises: BadInput, TooLarge; Conflict when the submission has an open upload; what
    `Reception.open` raises.
    """
    rules = uploads.make_lar_upload_rules()
    if fault := rules.name_fault(name):
        raise InvalidFormat(fault)
    if length > rules.limit:
        raise rules.too_large()
    if length < rules.least:
        raise InvalidFormat(foreign_files.EMPTY_FILE)
    if find_open_upload(submission):
        raise Conflict(
            f"Submission {submission} has an open upload. Continue it, or end it with DELETE."
        )
    with transaction.atomic():
        reception = Reception(submission, by=by)
        reception.open()
        # One that was left open when the submission was reopened no longer counts.
        submission.resumable_uploads.filter(outcome=_Outcome.OPEN).update(outcome=_Outcome.ENDED)
        upload = ResumableUpload.objects.create(
            submission=submission,
            key=uuid.uuid4().hex,
            file_name=name[:255],
            length=length,
            **by.actor_columns,
        )
        reception.lease.rest(_expiry(upload))
    return upload


def find_open_upload(submission: Submission) -> ResumableUpload | None:
    """Return the open upload of a submission, if it has one."""
    if submission.status != Status.UPLOADING or submission.discarded_at:
        return None
    return submission.resumable_uploads.filter(outcome=_Outcome.OPEN).first()


def find_upload(submission: Submission, key: str) -> ResumableUpload:
    """Return an upload that is open, or was completed within the last day. Raises: NotFound."""
    upload = submission.resumable_uploads.filter(key=key).exclude(outcome=_Outcome.ENDED).first()
    is_over = submission.status != Status.UPLOADING or submission.discarded_at
    if upload is None or (upload.is_open and is_over):
        raise NotFound(f"Submission {submission} has no such upload. It may have ended or expired.")
    return upload


def append_to_upload(
    upload: ResumableUpload,
    pieces: Iterable[bytes],
    *,
    size: int,
    sha256: bytes | None = None,
    by: Caller,
    misfit: Misfit = accept_any,
) -> None:
    """Add bytes at the offset of an upload; with the last ones, the file is received.

    size: how many bytes were announced; fewer may come if the line is lost. Then those that came
    are kept, but not with a checksum. sha256: of these bytes. misfit: tells by the
    beginning of the file why it is refused; blank if it is not.

    Raises: Conflict when the offset has changed; Locked while another request adds bytes; TooLarge;
    WrongChecksum; BadInput for bytes that cannot be of a LAR, which end the upload; NotFound when
    the upload was ended meanwhile.
    """
    if upload.offset + size > upload.length:
        raise refuse_excess_bytes(upload, size)
    try:
        with _held(upload) as lease:
            _receive(upload, lease, pieces, size=size, sha256=sha256, by=by, misfit=misfit)
            if upload.is_complete:
                _finish(upload, lease, by=by, misfit=misfit)
    except LostLease:
        find_upload(Submission.objects.get(pk=upload.submission_id), upload.key)
        raise refuse_other_offset() from None


def refuse_excess_bytes(upload: ResumableUpload, size: int) -> TooLarge:
    """Return the refusal of bytes beyond the length of an upload."""
    return TooLarge(
        f"The upload has {upload.offset} of {upload.length} bytes; {size} more are too many."
    )


def complete_upload(
    upload: ResumableUpload, *, by: Caller, by_email: bool = False, misfit: Misfit = accept_any
) -> None:
    """Join the parts of an upload that has all its bytes, after the process that did so is gone.

    by_email: whether its sender gets an email if the file is refused: no request waits for it.
    misfit: as of `append_to_upload`.

    Raises: Locked while another process does it; BadInput for a file that is not a LAR, or
    infected; NotScanned.
    """
    try:
        with _held(upload) as lease:
            _finish(upload, lease, by=by, by_email=by_email, misfit=misfit)
    except LostLease:
        log.info("Another process has taken over the upload %s", upload.pk)


def end_upload(upload: ResumableUpload, reason: str, *, by: Caller) -> None:
    """End an open upload: its parts are removed, and the submission is open for another one.

    Raises: NotFound when it has ended already; Conflict when it is complete.
    """
    if not upload.is_open:
        raise Conflict("The upload is complete, and its file was received.")
    # A request that adds bytes now finds its lease lost.
    lease = claims.take_over_job(upload.submission, _STAGE, quiet_seconds=0)
    if lease is None or not _put_back(upload, lease, reason, by=by):
        raise NotFound(f"The upload of {upload.submission} has ended.")


def expire_upload(submission: Submission) -> bool:
    """Reopen a submission whose upload in parts was not continued; false if it has none.

    Call this in the transaction that ends the job. Raises: NotReady.
    """
    upload = find_open_upload(submission)
    if upload is None:
        return False
    hours = settings.LEFTOVER_HOURS
    reason = f"The upload was not continued for {hours} hour{'' if hours == 1 else 's'}."
    moves.move_submission(submission, Event.UPLOAD_ABANDONED, reason=reason)
    _mark(upload, _Outcome.ENDED)
    transaction.on_commit(lambda: upload_parts.discard_parts(upload))
    return True


def continue_upload(job_id: int) -> bool:
    """Take care of the upload in parts of a job whose lease has expired; false if it is over.

    A process may have been killed while it received bytes, or before the parts were joined.
    """
    job = Job.objects.select_related(*_RELATED).get(pk=job_id)
    upload = find_open_upload(job.submission) if job.submission else None
    if upload is None or _expiry(upload) <= timezone.now():
        return False
    if not upload.is_complete:
        as_read = Job.objects.filter(pk=job.pk, state=job.state, owner=job.owner)
        as_read.filter(lease_until=job.lease_until).update(
            lease_until=_expiry(upload), heartbeat=None
        )
        return True
    by = Caller(id=upload.actor_id, username=upload.actor_username, email=upload.actor_email)
    try:
        complete_upload(upload, by=by, by_email=True)
    except Refusal as refusal:
        log.info("The upload %s was not completed: %s", upload.pk, refusal.message)
    except Exception:  # the storage may use any library; other jobs must not wait for this one
        log.exception("The parts of the upload %s could not be joined", upload.pk)
    return True


def clear_ended_uploads() -> int:
    """Remove uploads that ended a while ago, with the parts that were left; return how many."""
    until = timezone.now() - timedelta(hours=settings.LEFTOVER_HOURS)
    is_arriving = Q(submission__status=Status.UPLOADING, submission__discarded_at=None)
    is_over = ~Q(outcome=_Outcome.OPEN) | ~is_arriving
    old = ResumableUpload.objects.filter(is_over, used_at__lt=until)
    removed = 0
    for upload in old.select_related(*_RELATED).iterator():
        if storage.has_files(upload_parts.find_parts_folder(upload)):
            storage.remove_folder(upload_parts.find_parts_folder(upload))
        removed += upload.delete()[0] > 0
    return removed


def _receive(
    upload: ResumableUpload,
    lease: JobLease,
    pieces: Iterable[bytes],
    *,
    size: int,
    sha256: bytes | None,
    by: Caller,
    misfit: Misfit,
) -> None:
    """Store bytes as parts, each as soon as it is long enough, or with a checksum at the end."""
    watch = foreign_files.ArrivingFileCheck(lines=upload.lines, is_beginning=not upload.offset)
    digest, received, fault, head = hashlib.sha256(), 0, None, b""
    renew_at = time.monotonic() + HEARTBEAT_SECONDS
    with (
        tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="upload-") as folder,
        upload_parts.write_parts(upload, lease, Path(folder), by=by) as parts,
    ):
        for piece in pieces:
            if not upload.offset and not raw_lines.has_whole_first_line(head):
                head += piece
                fault = misfit(head) if raw_lines.has_whole_first_line(head) else None
            fault = fault or watch.fault(piece)
            if fault and sha256 is None:
                raise _refused(upload, lease, fault, by=by)
            parts.write(piece)
            received += len(piece)
            if sha256 is not None:
                digest.update(piece)
            if parts.size >= PART_BYTES:
                parts.begin_another()
                if sha256 is None:
                    parts.keep(watch.lines)
            if time.monotonic() >= renew_at:
                lease.renew()
                renew_at = time.monotonic() + HEARTBEAT_SECONDS
        if sha256 is not None and received < size:
            raise BadInput(
                f"The line was lost after {received} of {size} bytes. They had a checksum, so none "
                "of them were kept."
            )
        if sha256 is not None and digest.digest() != sha256:
            raise WrongChecksum("The bytes do not have the SHA-256 in Upload-Checksum.")
        if fault:
            raise _refused(upload, lease, fault, by=by)
        parts.keep(watch.lines)


def _finish(
    upload: ResumableUpload,
    lease: JobLease,
    *,
    by: Caller,
    by_email: bool = False,
    misfit: Misfit = accept_any,
) -> None:
    """Join the parts and receive the file.

    Raises: BadInput for a file that is not a LAR, or infected; RightEnded; NotScanned, and then the
    parts stay, and it is tried again; LostLease.
    """
    submission = upload.submission
    scanning.require_scanner()
    with (
        tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="upload-") as folder,
        lease.renewed(),
    ):
        try:
            joined = upload_parts.join_parts(upload, lease, Path(folder) / storage.RAW)
        except FileNotFoundError:
            sentence = "Parts of the upload are no longer in storage. Upload the file again."
            raise _refused(upload, lease, sentence, by=by, by_email=by_email) from None
        fault = (
            joined if isinstance(joined, str) else misfit(first_line.read_beginning(joined.path))
        )
        if fault or isinstance(joined, str):
            raise _refused(upload, lease, fault, by=by, by_email=by_email)
        try:
            Reception(submission, by=by, lease=lease).store(
                joined, in_same_transaction=lambda: _mark(upload, _Outcome.DONE)
            )
        except (scanning.Infected, RightEnded) as refusal:
            if _put_back(upload, lease, refusal.message, by=by, by_email=by_email):
                raise
            raise LostLease(f"The upload {upload.pk} is over.") from None
    upload_parts.discard_parts(upload)
    current = posixpath.dirname(submission.raw_file)
    storage.discard_other_attempts(submission, _STAGE, current=current)


@contextmanager
def _held(upload: ResumableUpload) -> Iterator[JobLease]:
    """Take the lease of an upload for a request; it rests afterward.

    Raises: Locked while another request has it; Conflict when the offset has changed; LostLease
    when the upload is over; PeriodClosed for a period without rules.
    """
    filings.require_rules(upload.submission.period)
    _require_offset(upload)
    lease = claims.take_over_job(upload.submission, _STAGE, quiet_seconds=QUIET_SECONDS)
    if lease is None:
        jobs = Job.objects.filter(submission=upload.submission_id, stage=_STAGE)
        if not jobs.filter(state=Job.State.RUNNING).exists():
            raise LostLease(f"The upload {upload.pk} is over.")
        raise Locked("Another request is adding to this upload.", QUIET_SECONDS)
    try:
        _require_offset(upload)  # another request may have ended in between
        yield lease
    finally:
        retry_at = timezone.now() + RETRY_AFTER
        with suppress(LostLease):
            lease.rest(retry_at if upload.is_complete else _expiry(upload))


def _require_offset(upload: ResumableUpload) -> None:
    row = ResumableUpload.objects.filter(pk=upload.pk, outcome=_Outcome.OPEN)
    offset = row.values_list("offset", flat=True).first()
    if offset is None:
        raise LostLease(f"The upload {upload.pk} is over.")
    if offset != upload.offset:
        raise refuse_other_offset()


def refuse_other_offset() -> Conflict:
    """Return the refusal of bytes for another offset."""
    return Conflict("Another request has continued this upload. Ask for its offset with HEAD.")


def _refused(
    upload: ResumableUpload, lease: JobLease, fault: str, *, by: Caller, by_email: bool = False
) -> BadInput | LostLease:
    """End an upload that cannot become a LAR; return the refusal."""
    refusal = InvalidFormat(fault)
    if not _put_back(upload, lease, refusal.message, by=by, by_email=by_email):
        return LostLease(f"The upload {upload.pk} is over.")
    return refusal


def _put_back(
    upload: ResumableUpload, lease: JobLease, reason: str, *, by: Caller, by_email: bool = False
) -> bool:
    """Reopen the submission of an upload and remove the parts; false if it is over already."""
    with transaction.atomic():
        is_open = Reception(upload.submission, by=by, lease=lease).refuse(reason)
        if is_open:
            _mark(upload, _Outcome.ENDED)
            if by_email:
                outbox.queue_refusal(upload, reason)
    if is_open:
        upload_parts.discard_parts(upload)
    return is_open


def _mark(upload: ResumableUpload, outcome: ResumableUpload.Outcome) -> None:
    ResumableUpload.objects.filter(pk=upload.pk).update(outcome=outcome, used_at=timezone.now())
    upload.outcome = outcome


def _expiry(upload: ResumableUpload) -> datetime:
    """Return when an upload that is not continued ends."""
    return upload.used_at + timedelta(hours=settings.LEFTOVER_HOURS)
