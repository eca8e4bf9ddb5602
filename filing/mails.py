"""Mails to filers: written beside what they tell, sent by a job, each once.

A mail has a key that says what it tells whom. It is sent again only where the sending process was
killed between the mail server's answer and its own note of it; it then has the same `Message-ID`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone

from filing import notify
from filing.jobs import Lease
from filing.models import Institution, Job, Mail, Signature, StatusChange, Submission
from filing.statuses import Event
from filing.trail import origin

BATCH = 500


@dataclass(frozen=True)
class Draft:
    """A mail that is to be written. key: what it tells whom."""

    kind: str
    key: str
    to: str
    subject: str
    text: str
    submission: Submission | None = None
    institution: Institution | None = None


def queue(drafts: list[Draft]) -> list[Mail]:
    """Write mails and their jobs, but for those that are there already, or that have no address.

    To be called inside the transaction that writes what they tell.
    """
    wanted = {draft.key: draft for draft in drafts if _is_address(draft.to)}
    keys = list(wanted)
    for start in range(0, len(keys), BATCH):
        there = Mail.objects.filter(key__in=keys[start : start + BATCH])
        for key in there.values_list("key", flat=True):
            del wanted[key]
    request_id = origin().request_id
    with transaction.atomic():
        made = Job.objects.bulk_create(
            [Job(stage="mail", request_id=request_id) for _ in wanted], batch_size=BATCH
        )
        mails = Mail.objects.bulk_create(
            [
                Mail(job=job, **vars(draft))
                for job, draft in zip(made, wanted.values(), strict=True)
            ],
            batch_size=BATCH,
        )
        if made:  # the first rings for the next, and so on
            transaction.on_commit(lambda: notify.ring(made[0]))
    return mails


def send(lease: Lease) -> None:
    """Send the mail of a job."""
    mail = Mail.objects.get(job_id=lease.job_id)
    EmailMessage(
        mail.subject, mail.text, None, [mail.to], headers={"Message-ID": _message_id(mail)}
    ).send()
    with transaction.atomic():
        lease.finish()
        Mail.objects.filter(pk=mail.pk).update(sent_at=timezone.now())


def receipt(signature: Signature, *, again: bool = False) -> list[Mail]:
    """Mail a receipt to who signed and to the contact on the transmittal sheet.

    again: also to those who were told before.
    """
    submission = signature.submission
    told = {"signature": signature, "submission": submission, "filing": submission.filing}
    addresses = [signature.signer_email, contact(submission)]
    before = submission.mails.filter(kind="receipt").count() if again else 0
    suffix = f":again-{before}" if again else ""
    return queue(
        [
            _draft("receipt", f"{signature.receipt}:{to}{suffix}", to, submission, told)
            for to in dict.fromkeys(address.lower() for address in addresses)
        ]
    )


def failure(submission: Submission) -> list[Mail]:
    """Tell who uploaded the file that the submission has failed, and why."""
    uploaded = StatusChange.objects.filter(
        submission=submission, event__in=[Event.UPLOAD_STARTED.name, "CREATED"]
    ).last()
    if uploaded is None:
        return []
    told = {"submission": submission, "filing": submission.filing}
    # A submission that was retried may fail anew.
    times = submission.changes.filter(after=submission.status).count()
    key = f"{submission}:{times}:{uploaded.actor_email}"
    return queue([_draft("failure", key, uploaded.actor_email, submission, told)])


def contact(submission: Submission) -> str:
    """Return the address of the contact on the transmittal sheet; blank before it was read."""
    return str((submission.transmittal_sheet or {}).get("contact_email", ""))


def _draft(kind: str, key: str, to: str, about: Submission, told: dict[str, Any]) -> Draft:
    subject, text = rendered(kind, told)
    return Draft(kind, f"{kind}:{key}"[:255], to, subject, text, submission=about)


def rendered(kind: str, told: dict[str, Any]) -> tuple[str, str]:
    """Return the subject and the text of a mail: the first line of its template, and the rest."""
    site = {"site": settings.PUBLIC_URL, "contact_email": settings.CONTACT_EMAIL}
    whole = render_to_string(f"filing/mail/{kind}.txt", {**told, **site})
    subject, _, text = whole.partition("\n")
    return subject.strip()[:200], text.strip() + "\n"


def _is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def _message_id(mail: Mail) -> str:
    digest = hashlib.sha256(mail.key.encode()).hexdigest()[:32]
    return f"<{digest}@{urlsplit(settings.PUBLIC_URL).hostname}>"
