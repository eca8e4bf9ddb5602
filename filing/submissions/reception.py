"""The upload of a submission: opened, received, or abandoned so that it can be repeated."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from filing import access, scanning, storage
from filing.access import Caller, Right
from filing.errors import BadInput, Forbidden, LostLease, NotReady, Refusal
from filing.idempotency import KeyClaim, StoredAnswer
from filing.jobs import claims, queue
from filing.jobs.leases import JobLease
from filing.models import StatusChange, Submission
from filing.periods import filings
from filing.statuses import Event, Status
from filing.submissions import moves

log = logging.getLogger(__name__)
_NOT_RECEIVED = {Event.UPLOAD_REFUSED.name, Event.UPLOAD_ABANDONED.name}


class RightEnded(Forbidden):
    """The sender's right to upload ended while the file arrived."""

    def __init__(self) -> None:
        super().__init__(
            "Your right to upload files for this institution ended while the file arrived, so it "
            "was not received."
        )


@dataclass(frozen=True)
class ReceivedFile:
    """A file that has arrived completely, on this machine."""

    path: Path
    name: str
    size: int
    sha256: str


class Reception:
    """The reception of a file for a submission: opened, then stored or refused.

    A request that has the whole file does all of it in `opened`. An upload in parts takes the steps
    one by one, each request with the lease of the one before.
    """

    def __init__(
        self,
        submission: Submission,
        *,
        by: Caller,
        claim: KeyClaim | None = None,
        lease: JobLease | None = None,
    ) -> None:
        """Prepare the reception. claim: of the request's key. lease: if it is open already."""
        self.submission = submission
        self._by = by
        self._claim = claim
        self._lease = lease

    @property
    def lease(self) -> JobLease:
        """The lease of the one who receives the file, from when it is open."""
        assert self._lease is not None
        return self._lease

    def open(self) -> None:
        """Open the submission for its upload; from then on the lease keeps others away.

        Raises: NotReady when it already has a file, one is arriving, or the filing is cancelled;
        Conflict when it was discarded; PeriodClosed.
        """
        submission = self.submission
        refusal = NotReady(f"Submission {submission} not available for upload")
        filings.require_open_today(submission.filing.window)
        filings.require_not_cancelled(submission.filing)
        moves.require_not_discarded(submission)
        if submission.status != Status.CREATED:
            raise refusal
        try:
            with transaction.atomic():
                moves.move_submission(submission, Event.UPLOAD_STARTED, by=self._by)
                if self._claim:
                    self._claim.hold()
                self._lease = claims.occupy_job(submission, "upload")
        except moves.ConcurrentChange:
            raise refusal from None

    @contextmanager
    def opened(self) -> Iterator[Reception]:
        """Open the submission; any error inside leaves it as it was. Raises: as `open`."""
        self.open()
        try:
            with self.lease.renewed():
                yield self
        except BaseException as error:
            is_ours = not isinstance(error, Refusal) or error.status >= 500
            is_open_again = self.refuse(str(error), is_ours=is_ours)
            if is_open_again and not isinstance(error, Refusal):
                self._discard()
            raise

    def store(
        self,
        upload: ReceivedFile,
        *,
        answer: Callable[[], StoredAnswer | None] = lambda: None,
        in_same_transaction: Callable[[], object] = lambda: None,
    ) -> None:
        """Scan an upload for viruses, store it, and queue its parsing.

        answer: what the claim keeps for a request with the same key. in_same_transaction: writes
        what else becomes true.

        Raises: RightEnded; BadInput when the upload has timed out because no data arrived; what
        `scanning.require_clean_file` raises.
        """
        submission = self.submission
        self._require_preparer()
        facts = scanning.ScannedFileFacts(
            upload.name, upload.sha256, submission.lei, str(submission)
        )
        with upload.path.open("rb") as file:
            scanning.require_clean_file(file, facts, by=self._by)
        name = f"{self._folder}/{storage.RAW}"
        storage.store_file(upload.path, name)
        try:
            with transaction.atomic():
                self.lease.finish()
                moves.move_submission(
                    submission,
                    Event.UPLOAD_FINISHED,
                    by=self._by,
                    file_name=upload.name,
                    size=upload.size,
                    sha256=upload.sha256,
                    raw_file=name,
                    uploaded_at=timezone.now(),
                    failure="",
                )
                queue.add_job("parse", submission=submission)
                in_same_transaction()
                if self._claim and (stored_answer := answer()):
                    self._claim.keep(stored_answer)
        except (LostLease, NotReady) as error:
            storage.remove_folder(self._folder)
            raise _upload_refusal(submission) from error

    def refuse(self, reason: str, *, is_ours: bool = False) -> bool:
        """Reopen the submission for upload; false if another process has already done so.

        is_ours: whether the service failed, not the sender.
        """
        try:
            with transaction.atomic():
                self.lease.fail(reason, is_ours=is_ours)
                moves.move_submission(
                    self.submission, Event.UPLOAD_REFUSED, by=self._by, reason=reason
                )
        except (LostLease, NotReady):
            return False  # the sweeper has already reopened it
        return True

    def _require_preparer(self) -> None:
        """Ask again for the right: a file arrives for minutes, and access ends at once.

        Not of the service, which goes on with what had arrived whole.
        """
        by, submission = self._by, self.submission
        if not (by.user_key or by.issuer):
            return
        try:
            access.require_right(by, Right.PREPARE, submission.lei, submission.period)
        except Forbidden:
            raise RightEnded from None

    @property
    def _folder(self) -> str:
        return storage.name_folder(self.submission, "upload", self.lease.attempt_id)

    def _discard(self) -> None:
        """Delete the stored file of an upload that was not received.

        Call this only after the submission was reopened: if the database goes down at the end of a
        transaction, it may still have committed, and the file is in use.
        """
        try:
            storage.remove_folder(self._folder)
        except Exception as error:  # the storage may use any library
            log.warning(
                "The files of an upload in %s could not be deleted: %s", self._folder, error
            )


def find_last_refusal(submission: Submission) -> StatusChange | None:
    """Return the entry of the history that refused the last upload or gave it up; None if none."""
    last = StatusChange.objects.filter(submission=submission).order_by("-id").first()
    return last if last and last.event in _NOT_RECEIVED else None


def find_last_refusals(submissions: Iterable[Submission]) -> dict[int, str]:
    """Return why the last upload of each submission was refused or given up, by key.

    Without those whose history ends with something else.
    """
    newest = (
        StatusChange.objects.filter(submission__in=list(submissions))
        .order_by()
        .values("submission")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    changes = StatusChange.objects.filter(pk__in=newest, event__in=_NOT_RECEIVED)
    return dict(changes.values_list("submission_id", "reason"))


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
    moves.move_submission(
        submission,
        Event.UPLOAD_ABANDONED,
        reason=f"No data arrived for {settings.JOB_LEASE_SECONDS} seconds.",
    )
    storage.remove_attempts(submission, "upload")
