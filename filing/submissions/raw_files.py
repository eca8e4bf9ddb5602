"""The uploaded file of a submission: downloads by staff with a reason, and checks of its hash."""

from __future__ import annotations

from pathlib import Path

from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase

from filing import audit, storage
from filing.access import Caller
from filing.audit import deliveries
from filing.errors import BadInput, NotFound
from filing.files import digests, handing_over
from filing.files.attachments import TEXT
from filing.models import AuditEvent, Submission
from filing.submissions import removed_files


def download(
    request: HttpRequest, submission: Submission, *, name: str, reason: str, by: Caller
) -> HttpResponseBase:
    """Return the file as it was uploaded. The audit log records it once the answer is sent.

    name: the name for saving it. Raises: BadInput without a reason; NotFound when there is no file.
    """
    if not reason.strip():
        raise BadInput("Enter the reason for the download. It is recorded in the audit log.")
    entry = audit.entry(
        AuditEvent.FILE_DOWNLOADED,
        by=by,
        lei=submission.lei,
        about=str(submission),
        reason=reason.strip(),
    )
    return deliveries.with_entry(answer(request, stored(submission), name), entry)


def answer(request: HttpRequest, stored: str, name: str) -> HttpResponseBase:
    """Return a stored file as text that a browser saves under a name and never displays.

    stored: its name in storage. The proxy or the storage sends it if the settings say so.
    """
    response: HttpResponseBase | None = handing_over.answer(
        request, stored, name=name, content_type=TEXT
    )
    if response is None:
        file = storage.local(stored).open("rb")
        response = FileResponse(file, as_attachment=True, filename=name, content_type=TEXT)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def sha256(submission: Submission) -> str:
    """Return the SHA-256 of the file in storage now. It reads the complete file.

    Raises: NotFound when there is no file.
    """
    return digests.sha256(path(submission))


def path(submission: Submission) -> Path:
    """Return the local path of the file.

    Raises: NotFound when there is none, or it was removed under a retention rule.
    """
    name = _name(submission)
    try:
        file = storage.local(name)
    except FileNotFoundError:
        file = None
    if file is None or not file.is_file():
        raise _lost(submission)
    return file


def stored(submission: Submission) -> str:
    """Return the name of the file in storage, which has it.

    Raises: NotFound when there is none, or it was removed under a retention rule.
    """
    name = _name(submission)
    if not default_storage.exists(name):
        raise _lost(submission)
    return name


def _name(submission: Submission) -> str:
    removed_files.require_present(submission)
    if not submission.raw_file:
        raise NotFound(f"{submission} has no file: no upload was completed.")
    return submission.raw_file


def _lost(submission: Submission) -> NotFound:
    return NotFound(f"The file of {submission} is no longer in storage.")
