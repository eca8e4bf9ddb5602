"""The file of a submission in the hands of staff: given out with a reason, checked by its hash."""

from __future__ import annotations

from pathlib import Path

from filing import audit, storage
from filing.access import Caller
from filing.errors import BadInput, NotFound
from filing.files import digests
from filing.models import Happening, Submission


def hand_out(submission: Submission, *, reason: str, by: Caller) -> Path:
    """Return where the file lies on this machine, after the trail has been told who takes it.

    Raises: BadInput without a reason; NotFound when there is no file.
    """
    if not reason.strip():
        raise BadInput("Say why the file is needed: the reason is kept in the trail.")
    found = path(submission)
    audit.record(
        Happening.FILE_DOWNLOADED,
        by=by,
        lei=submission.lei,
        about=str(submission),
        reason=reason.strip(),
    )
    return found


def sha256(submission: Submission) -> str:
    """Return the SHA-256 of the file as it lies in storage now. It reads the whole file.

    Raises: NotFound when there is no file.
    """
    return digests.sha256(path(submission))


def path(submission: Submission) -> Path:
    """Return where the file lies on this machine.

    Raises: NotFound when there is none.
    """
    if not submission.raw_file:
        raise NotFound(f"{submission} has no file: no upload has been finished.")
    try:
        found = storage.local(submission.raw_file)
    except FileNotFoundError:
        found = None
    if found is None or not found.is_file():
        raise NotFound(f"The file of {submission} is no longer in storage.")
    return found
