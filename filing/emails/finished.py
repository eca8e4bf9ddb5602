"""Emails on request: one to each user who wants to know when the checking of a file has finished.

A request is a row that is there until its email is queued, in the transaction that ends the work.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from filing.access import rights
from filing.emails import outbox
from filing.emails.outbox import Draft
from filing.models import FinishedEmail, Mail, Membership, Submission
from filing.statuses import Status

KIND = "finished"


@dataclass(frozen=True)
class _Result:
    """What came of a file, in a few words and in a sentence, and what the filer does next."""

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
    Status.FAILED: _Result(
        "not checked to the end",
        "Checking could not be completed. Nothing was filed.",
        "Upload the file again in a new submission.",
    ),
}
_CLEAN = "No edits need to be corrected or verified."
_READY = _Result("ready to sign", _CLEAN, "Certify and sign.")
_DONE = _Result("no edits to correct or verify", _CLEAN, "Nothing: this site takes no signatures.")


def request(submission: Submission, *, by: User) -> bool:
    """Note that a user wants an email at their own address; false where that is not possible.

    That is, the user has no address that can be used, or checking has finished.
    """
    if not outbox.is_address(by.email):
        return False
    with transaction.atomic():
        # A worker that finishes waits for this, and then sees the request.
        status = Submission.objects.select_for_update().get(pk=submission.pk).status
        if Status(status).rests:
            return False
        FinishedEmail.objects.get_or_create(
            submission=submission, email=by.email.lower(), defaults={"user": by}
        )
    return True


def withdraw(submission: Submission, *, by: User) -> None:
    """Remove the request of a user."""
    FinishedEmail.objects.filter(submission=submission, email=by.email.lower()).delete()


def is_requested(submission: Submission, *, by: User) -> bool:
    """Tell whether the user is going to get an email."""
    return FinishedEmail.objects.filter(submission=submission, email=by.email.lower()).exists()


def queue(submission: Submission, *, but_not_to: Collection[str] = ()) -> list[Mail]:
    """Write the emails that were requested, in the transaction that ends the work on a submission.

    Whoever may no longer file for the institution, or has another address by now, gets none.
    but_not_to: addresses that are told of it in another email.
    """
    requests = list(FinishedEmail.objects.filter(submission=submission).select_related("user"))
    if not requests:
        return []
    FinishedEmail.objects.filter(pk__in=[each.pk for each in requests]).delete()
    members = _members(submission.lei, [each.user_id for each in requests])
    others = {address.lower() for address in but_not_to}
    return outbox.queue(
        [
            _draft(submission, each)
            for each in requests
            if each.user_id in members
            and each.user.email.lower() == each.email
            and each.email not in others
        ]
    )


def _members(lei: str, users: list[int]) -> set[int]:
    """Return those of the users who may file for the institution now."""
    memberships = Membership.objects.filter(lei=lei, user__in=users, user__is_active=True)
    rows = rights.with_grounds(memberships)
    return {row.user_id for row in rows if not rights.of(row).lapse}


def _draft(submission: Submission, request: FinishedEmail) -> Draft:
    result = _result(Status(submission.status))
    facts = {
        "submission": str(submission),
        "institution": submission.filing.institution.name,
        "lei": submission.lei,
        "period": submission.period,
        "number": submission.sequence_number,
        "file_name": submission.file_name,
        "failure": submission.failure if submission.status == Status.FAILED else "",
        "result": result,
    }
    subject, text = outbox.rendered(KIND, facts)
    key = outbox.key(KIND, str(submission), str(request.pk), request.email)
    return Draft(KIND, key, request.email, subject, text, submission=submission)


def _result(status: Status) -> _Result:
    if status is Status.VERIFIED:
        return _READY if settings.SIGNING_ENABLED else _DONE
    return _RESULTS[status]
