"""Emails on request: to each user who wants to know when the checking of a file has finished.

A request is a row, deleted when its email is queued, in the transaction that ends the checking.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from filing import access
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.models import FinishedEmail, Mail, Submission
from filing.statuses import VERIFIABLE, Fault, Status

KIND = "finished"


@dataclass(frozen=True)
class _Result:
    """The result of a check, in a few words and in a sentence, and the next step of the filer."""

    title: str
    meaning: str
    next_step: str


_CORRECT = "correct your file and upload it again."
_RESULTS = {
    Status.PARSED_WITH_ERRORS: _Result(
        "formatting errors",
        "The file has formatting errors.",
        f"Review the formatting errors, {_CORRECT}",
    ),
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: _Result(
        "syntactical or validity edits",
        "Syntactical or validity edits were triggered.",
        f"Review the edits, {_CORRECT}",
    ),
    Status.QUALITY_ERRORS: _Result(
        "quality edits to verify",
        "Quality edits were triggered.",
        "Review the edits and verify them, or upload a corrected file.",
    ),
    Status.MACRO_ERRORS: _Result(
        "quality or macro edits to verify",
        "Quality or macro edits were triggered.",
        "Review the edits and verify them, or upload a corrected file.",
    ),
}
_SIGNED_LATER = "The file can be signed once the edits that were not run are run."
_CLEAN = "No edits need to be corrected or verified."
_READY = _Result("ready to sign", _CLEAN, "Certify and sign.")
_DONE = _Result("no edits to correct or verify", _CLEAN, "Nothing: this site takes no signatures.")


def request_finished_email(submission: Submission, *, by: User) -> bool:
    """Store the request of a user for an email to their own address; false if not possible.

    That is, the user has no usable address, or checking has finished.
    """
    if not outbox.is_email_address(by.email):
        return False
    with transaction.atomic():
        # A worker that finishes at the same time waits for this lock, and then sees the request.
        status = Submission.objects.select_for_update().get(pk=submission.pk).status
        if Status(status).is_settled:
            return False
        FinishedEmail.objects.get_or_create(
            submission=submission, email=by.email.lower(), defaults={"user": by}
        )
    return True


def withdraw_finished_email(submission: Submission, *, by: User) -> None:
    """Remove the request of a user."""
    FinishedEmail.objects.filter(submission=submission, email=by.email.lower()).delete()


def is_finished_email_requested(submission: Submission, *, by: User) -> bool:
    """Tell whether the user has requested an email."""
    return FinishedEmail.objects.filter(submission=submission, email=by.email.lower()).exists()


def queue_finished_emails(
    submission: Submission,
    *,
    excluded: Collection[str] = (),
    fault: Fault | None = None,
    foreign: str = "",
    unrun: str = "",
    waits: str = "",
) -> list[Mail]:
    """Queue the requested emails, in the transaction that ends the checking of a submission.

    Users who may no longer file for the institution, or have another address by now, get none.
    excluded: addresses that get another email about it. fault: why it failed, if it did.
    foreign: what tells that the file is of another institution, if it is. unrun: which edits were
    not run, and why. waits: why the file cannot be signed yet.
    """
    requests = list(FinishedEmail.objects.filter(submission=submission).select_related("user"))
    if not requests:
        return []
    FinishedEmail.objects.filter(pk__in=[request.pk for request in requests]).delete()
    excluded_addresses = {address.lower() for address in excluded}
    result = _result_of(submission, fault, foreign, waits)
    return outbox.queue_emails(
        [
            _draft(submission, request, result, unrun)
            for request in requests
            if access.may_file(access.caller_of(request.user), submission.lei, submission.period)
            and request.user.email.lower() == request.email
            and request.email not in excluded_addresses
        ]
    )


def _draft(
    submission: Submission, request: FinishedEmail, result: _Result, unrun: str
) -> EmailDraft:
    facts = {
        **outbox.collect_email_facts(submission),
        "failure": submission.failure if submission.status == Status.FAILED else "",
        "result": result,
        "unrun": unrun,
    }
    about = (str(submission), str(request.pk))
    return outbox.draft_email(KIND, about, request.email, facts, submission=submission)


def _result_of(submission: Submission, fault: Fault | None, foreign: str, waits: str) -> _Result:
    if fault:
        title = f"{fault.title[0].lower()}{fault.title[1:]}"
        return _Result(title, f"{fault.title}. Nothing was filed.", fault.next_step)
    status = Status(submission.status)
    if foreign and status in VERIFIABLE:
        return _Result("file of another institution", "The file cannot be certified.", foreign)
    if status is Status.VERIFIED and waits and settings.SIGNING_ENABLED:
        return _Result("edits that could not be run", _CLEAN, "Nothing for now. " + _SIGNED_LATER)
    if status is Status.VERIFIED:
        return _READY if settings.SIGNING_ENABLED else _DONE
    return _RESULTS[status]
