"""Emails to filers: written in the transaction of their cause, sent by a job.

The key of an email says what it is about and who gets it, so that none is written twice.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.template.loader import render_to_string

from filing.access import person_with_email
from filing.jobs.queue import BATCH, add_jobs
from filing.models import Institution, Mail, ResumableUpload, Signature, StatusChange, Submission
from filing.receipts.documents import ReceiptFact
from filing.statuses import Event, Fault

_LONGEST_ADDRESS = 254
_LONGEST_KEY = 255
# Line breaks of all kinds, and other characters that a terminal or an email program would obey.
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
_CONTROL = re.compile(f"[{_CONTROLS}]+")
ONE_LINE = f"[^{_CONTROLS}]"  # the pattern of all other characters, for other languages too


@dataclass(frozen=True)
class EmailDraft:
    """An email to be written. key: what it is about and who gets it."""

    kind: str
    key: str
    to: str
    subject: str
    text: str
    submission: Submission | None = None
    institution: Institution | None = None


def draft_email(
    kind: str,
    about: tuple[str, ...],
    to: str,
    facts: dict[str, Any],
    *,
    submission: Submission | None = None,
    institution: Institution | None = None,
    template: str = "",
) -> EmailDraft:
    """Return an email written with a template, by default that of its kind.

    about: what its key names.
    """
    subject, text = render_email(template or kind, facts)
    key = make_email_key(kind, *about, to)
    return EmailDraft(kind, key, to, subject, text, submission, institution)


def queue_emails(drafts: list[EmailDraft]) -> list[Mail]:
    """Write emails and their jobs, except those that exist already or have no usable address.

    Call this in the transaction that writes what they are about.
    """
    new = {draft.key: draft for draft in drafts if is_email_address(draft.to)}
    keys = list(new)
    for start in range(0, len(keys), BATCH):
        existing = Mail.objects.filter(key__in=keys[start : start + BATCH])
        for key in existing.values_list("key", flat=True):
            del new[key]
    with transaction.atomic():
        jobs = add_jobs("mail", len(new))
        return Mail.objects.bulk_create(
            [Mail(job=job, **vars(draft)) for job, draft in zip(jobs, new.values(), strict=True)],
            batch_size=BATCH,
        )


def queue_receipt(
    signature: Signature,
    description: Sequence[ReceiptFact],
    *,
    is_in_force: bool = True,
    again: bool = False,
) -> list[Mail]:
    """Queue a receipt to the signer and to the contact on the transmittal sheet.

    description: what is said of it beside what was filed. is_in_force: whether the filing is as it
    says. again: also to addresses that have had one.
    """
    submission = signature.submission
    facts = {
        **collect_email_facts(submission),
        "receipt": signature.receipt,
        "signed_at": signature.signed_at,
        "signer": person_with_email(signature),
        "sha256": signature.sha256,
        "description": description,
        "is_in_force": is_in_force,
        "is_signed": hasattr(signature, "signed_receipt"),
    }
    nth = str(submission.mails.filter(kind="receipt").count()) if again else ""
    return queue_emails(
        [
            draft_email("receipt", (signature.receipt, nth), to, facts, submission=submission)
            for to in find_receipt_recipients(signature)
        ]
    )


def find_receipt_recipients(signature: Signature) -> list[str]:
    """Return the addresses that get a receipt: the signer's and the contact's, each only once."""
    sheet = signature.submission.transmittal_sheet or {}
    addresses: dict[str, str] = {}
    for address in (signature.signer_email, str(sheet.get("contact_email", ""))):
        addresses.setdefault(address.strip().lower(), address.strip())
    return list(filter(is_email_address, addresses.values()))


def queue_failure(submission: Submission, fault: Fault) -> list[Mail]:
    """Queue an email to the uploader of a failed submission: what is wrong, and who acts next."""
    upload = StatusChange.objects.filter(
        submission=submission, event__in=[Event.UPLOAD_STARTED.name, Event.CREATED.name]
    ).last()
    if upload is None:
        return []
    facts = {
        **collect_email_facts(submission),
        "fault": fault,
        "reason": [remove_line_breaks(line) for line in submission.failure.splitlines()],
    }
    # A submission that was retried may fail again.
    times = submission.changes.filter(after=submission.status).count()
    about = (str(submission), str(times))
    email = draft_email("failure", about, upload.actor_email, facts, submission=submission)
    return queue_emails([email])


def queue_refusal(upload: ResumableUpload, reason: str) -> list[Mail]:
    """Queue an email to the sender of an upload that was refused after the sender was gone."""
    submission = upload.submission
    facts = {**collect_email_facts(submission), "file_name": upload.file_name, "reason": reason}
    about = (str(submission), upload.key)
    email = draft_email("refusal", about, upload.actor_email, facts, submission=submission)
    return queue_emails([email])


def collect_email_facts(submission: Submission) -> dict[str, Any]:
    """Return what every email about a submission may name."""
    return {
        "submission": str(submission),
        "institution": submission.filing.institution.name,
        "lei": submission.lei,
        "period": submission.period,
        "number": submission.sequence_number,
        "file_name": submission.file_name,
        "records": submission.records,
    }


def make_email_key(*parts: str) -> str:
    """Return the key of an email from its subject matter and address, shortened if too long."""
    text = ":".join(parts).lower()
    if len(text) <= _LONGEST_KEY:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{text[: _LONGEST_KEY - len(digest) - 1]}:{digest}"


def render_email(kind: str, facts: dict[str, Any]) -> tuple[str, str]:
    """Return the subject and the text of an email: the first line of its template, and the others.

    Line breaks in texts are removed, so that no name of an institution or a file adds lines.
    """
    clean = {
        name: remove_line_breaks(fact) if isinstance(fact, str) else fact
        for name, fact in facts.items()
    }
    site = {"site": settings.PUBLIC_URL, "contact_email": settings.CONTACT_EMAIL}
    rendering = render_to_string(f"filing/mail/{kind}.txt", {**clean, **site})
    subject, _, text = rendering.partition("\n")
    return subject.strip()[:200], text.strip() + "\n"


def remove_line_breaks(text: str) -> str:
    """Return a text without line breaks and other control characters."""
    return _CONTROL.sub(" ", text).strip()


def is_email_address(text: str) -> bool:
    """Tell whether a text is an email address."""
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= _LONGEST_ADDRESS
