"""Actions on submissions. Every write to one goes through here, and every move leaves a trace."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from filing import filings, jobs, mails, notify, signals, storage, trail
from filing.access import SERVICE, Caller
from filing.errors import BadInput, LostLease, MissingParent, NotReady, Refusal
from filing.jobs import Lease
from filing.lar.period import Period
from filing.models import Filing, Institution, Signature, StatusChange, Submission
from filing.statuses import MOVES, VERIFIABLE, Event, Status

log = logging.getLogger(__name__)


class Overtaken(NotReady):
    """The submission was moved by somebody else between reading and writing."""


@dataclass(frozen=True)
class Upload:
    """A file that has arrived whole and lies on this machine."""

    path: Path
    name: str
    size: int
    sha256: str


def name_of(*, lei: str, period: Period, number: int | str) -> str:
    """Return how a submission is called in messages: `<lei>-<period>-<number>`."""
    return f"{lei}-{period}-{number}"


def create(*, lei: str, period: Period, by: Caller) -> Submission:
    """Return a new submission with the next sequence number of its filing.

    Raises: PeriodClosed; MissingParent when the institution or the filing does not exist; NotReady
    when the filing was cancelled.
    """
    filings.require_open(lei=lei, period=period)
    with transaction.atomic():
        filing = (
            Filing.objects.select_for_update(of=("self",))
            .select_related("institution", "period")
            .filter(filings.named(lei=lei, period=period))
            .first()
        )
        if filing is None:
            filings.institution(lei=lei, period=period)
            raise MissingParent(f"filing with ID: {period} does not exist")
        filings.require_owed(filing)
        last = filing.submissions.aggregate(last=Max("sequence_number"))["last"] or 0
        submission = Submission.objects.create(filing=filing, sequence_number=last + 1)
        _record(submission, None, Status.CREATED, "CREATED", by=by)
        filings.mark_in_progress(filing)
    return submission


def move(submission: Submission, event: Event, *, by: Caller = SERVICE, reason: str = "") -> Status:
    """Move a submission along the table of moves: the one writer of its status.

    Raises: NotReady when the table has no such move; Overtaken when somebody else was first.
    """
    before = Status(submission.status)
    after = MOVES.get((before, event))
    if after is None:
        raise NotReady(f"A submission with status {before.value} cannot take {event.name}.")
    now = timezone.now()
    with transaction.atomic():
        changed = Submission.objects.filter(pk=submission.pk, status=before).update(
            status=after, changed_at=now
        )
        if not changed:
            raise Overtaken(f"Submission {submission} was moved by somebody else.")
        _record(submission, before, after, event.name, by=by, reason=reason, at=now)
    submission.status = after
    submission.changed_at = now
    return after


def remark(submission: Submission, event: str, *, by: Caller, reason: str) -> None:
    """Keep in the history what was done about a submission that did not move it."""
    status = Status(submission.status)
    _record(submission, status, status, event, by=by, reason=reason)


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
            move(submission, Event.UPLOAD_STARTED, by=by)
            lease = jobs.occupy(submission, "upload")
    except Overtaken:
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
            move(submission, Event.UPLOAD_REFUSED, by=by, reason=reason)
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
            Submission.objects.filter(pk=submission.pk).update(
                file_name=upload.name,
                size=upload.size,
                sha256=upload.sha256,
                raw_file=name,
                uploaded_at=timezone.now(),
                failure="",
            )
            submission.size = upload.size
            move(submission, Event.UPLOAD_FINISHED, by=by)
            job = jobs.queue(submission, "parse", rows_total=0)
            transaction.on_commit(lambda: notify.ring(job))
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
    move(
        submission,
        Event.UPLOAD_ABANDONED,
        reason=f"No data arrived for {settings.JOB_LEASE_SECONDS} seconds.",
    )
    storage.discard_other_attempts(submission, "upload", kept="")


def fail(
    submission: Submission, reason: str, *, event: Event = Event.FAILED, by: Caller = SERVICE
) -> None:
    """End a submission that cannot go on, with a reason that a person can act on, and mail it."""
    with transaction.atomic():
        move(submission, event, by=by, reason=reason)
        Submission.objects.filter(pk=submission.pk).update(failure=reason)
        submission.failure = reason
        mails.failure(submission)


def require_verifiable(submission: Submission) -> None:
    """Refuse unless the quality and macro edits of the submission can be verified now."""
    if submission.status not in VERIFIABLE:
        raise NotReady(f"Submission {submission} is not ready to be verified")


def verify(submission: Submission, kind: str, *, verified: bool, by: Caller) -> Submission:
    """Say of the quality or the macro edits that they were reviewed, or take that back.

    The status follows: 14 when every kind that has edits is verified, else 13 when there are macro
    edits, else 11. Repeating a call changes nothing.

    Raises: NotReady before the analysis is over and once the submission is signed.
    """
    with transaction.atomic():
        current = (
            Submission.objects.select_for_update(of=("self",))
            .select_related("filing__institution", "filing__period")
            .get(pk=submission.pk)
        )
        require_verifiable(current)
        setattr(current, f"{kind}_verified", verified)
        current.save(update_fields=[f"{kind}_verified"])
        event = _after_verification(current)
        verb = "verified" if verified else "not verified"
        if event is None:
            status = Status(current.status)
            _record(current, status, status, f"{kind}_{verb}".upper().replace(" ", "_"), by=by)
        else:
            move(current, event, by=by, reason=f"The {kind} edits were {verb}.")
    return current


def _after_verification(submission: Submission) -> Event | None:
    quality_open = submission.quality_exists and not submission.quality_verified
    macro_open = submission.macro_exists and not submission.macro_verified
    if not quality_open and not macro_open:
        target, event = Status.VERIFIED, Event.EVERYTHING_VERIFIED
    elif submission.macro_exists:
        target, event = Status.MACRO_ERRORS, Event.MACRO_UNVERIFIED
    else:
        target, event = Status.QUALITY_ERRORS, Event.QUALITY_UNVERIFIED
    return None if submission.status == target else event


def require_signable(submission: Submission) -> None:
    """Refuse unless everything about the submission is verified and it is not signed yet."""
    if submission.status != Status.VERIFIED:
        raise NotReady(f"Submission {submission} is not ready to be signed")


def sign(submission: Submission, *, signed: bool, by: Caller) -> Signature:
    """Sign a submission: its file becomes the institution's data of record for the period.

    Raises: NotReady unless it is verified, unsigned and its filing not cancelled; BadInput when
    `signed` is false; PeriodClosed.
    """
    filings.require_open_today(submission.filing.period)
    filings.require_owed(submission.filing)
    require_signable(submission)
    if not signed:
        raise BadInput("Illegal argument: signed = false")
    # The receipt shows milliseconds, so the time that is kept has no more than that.
    now = timezone.now()
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    try:
        with transaction.atomic():
            move(submission, Event.SIGNED, by=by)
            signature = Signature.objects.create(
                submission=submission,
                receipt=receipt(submission, now),
                signed_at=now,
                signer_id=by.id,
                signer_username=by.username,
                signer_email=by.email,
                sha256=submission.sha256,
            )
            filings.mark_completed(submission.filing, now, by=by)
            _mark_filed(submission)
            mails.receipt(signature)
            signals.signed.send(Submission, submission=submission, signature=signature)
    except Overtaken:
        raise NotReady(f"Submission {submission} is not ready to be signed") from None
    return signature


def receipt(submission: Submission, at: datetime) -> str:
    """Return the receipt of a submission signed at a time."""
    quarter = f"-{submission.period.quarter_name}" if submission.period.is_quarterly else ""
    milliseconds = int(at.timestamp() * 1000 + 0.5)
    return (
        f"{submission.lei}-{submission.period.year}{quarter}"
        f"-{submission.sequence_number}-{milliseconds}"
    )


def _mark_filed(submission: Submission) -> None:
    period = submission.period
    flag = f"quarterly_filer_has_filed_q{period.quarter}" if period.quarter else "hmda_filer"
    Institution.objects.filter(pk=submission.filing.institution_id).update(**{flag: True})


def _record(
    submission: Submission,
    before: Status | None,
    after: Status,
    event: str,
    *,
    by: Caller,
    reason: str = "",
    at: datetime | None = None,
) -> None:
    origin = trail.origin()
    StatusChange.objects.create(
        submission=submission,
        before=before,
        after=after,
        event=event,
        at=at or timezone.now(),
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        address=origin.address,
        request_id=origin.request_id,
        reason=reason,
    )
