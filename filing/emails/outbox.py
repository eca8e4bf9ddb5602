"""Emails to filers: written beside what they tell, sent by a job, each once.

An email has a key that says what it tells whom.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.template.loader import render_to_string

from filing.jobs.queue import BATCH, add_many
from filing.models import Institution, Mail, Signature, StatusChange, Submission
from filing.statuses import Event

_LONGEST_ADDRESS = 254
_LONGEST_KEY = 255
# Ends of lines of all kinds and what else a terminal or a mail program would obey.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


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
    wanted = {draft.key: draft for draft in drafts if is_address(draft.to)}
    keys = list(wanted)
    for start in range(0, len(keys), BATCH):
        there = Mail.objects.filter(key__in=keys[start : start + BATCH])
        for key in there.values_list("key", flat=True):
            del wanted[key]
    with transaction.atomic():
        made = add_many("mail", len(wanted))
        return Mail.objects.bulk_create(
            [
                Mail(job=job, **vars(draft))
                for job, draft in zip(made, wanted.values(), strict=True)
            ],
            batch_size=BATCH,
        )


def receipt(signature: Signature, *, again: bool = False) -> list[Mail]:
    """Mail a receipt to who signed and to the contact on the transmittal sheet.

    again: also to those who were told before.
    """
    submission = signature.submission
    told = {
        **_facts(submission),
        "receipt": signature.receipt,
        "signed_at": signature.signed_at,
        "signer_email": signature.signer_email,
        "sha256": signature.sha256,
        "lines": submission.lines,
        "number": submission.sequence_number,
    }
    nth = str(submission.mails.filter(kind="receipt").count()) if again else ""
    return queue(
        [
            _draft("receipt", (signature.receipt, nth), to, submission, told)
            for to in receivers(signature)
        ]
    )


def receivers(signature: Signature) -> list[str]:
    """Return who gets a receipt: the signer and the contact, the same address once."""
    different: dict[str, str] = {}
    for typed in (signature.signer_email, contact(signature.submission)):
        different.setdefault(typed.strip().lower(), typed.strip())
    return list(filter(is_address, different.values()))


def failure(submission: Submission) -> list[Mail]:
    """Tell who uploaded the file that the submission has failed, and why."""
    uploaded = StatusChange.objects.filter(
        submission=submission, event__in=[Event.UPLOAD_STARTED.name, Event.CREATED.name]
    ).last()
    if uploaded is None:
        return []
    told = {
        **_facts(submission),
        "reason": [one_line(line) for line in submission.failure.splitlines()],
    }
    # A submission that was retried may fail anew.
    times = submission.changes.filter(after=submission.status).count()
    about = (str(submission), str(times))
    return queue([_draft("failure", about, uploaded.actor_email, submission, told)])


def contact(submission: Submission) -> str:
    """Return the address of the contact on the transmittal sheet; blank before it was read."""
    return str((submission.transmittal_sheet or {}).get("contact_email", ""))


def _facts(submission: Submission) -> dict[str, Any]:
    return {
        "submission": str(submission),
        "institution": submission.filing.institution.name,
        "lei": submission.lei,
        "period": str(submission.period),
        "file_name": submission.file_name,
    }


def _draft(
    kind: str, about: tuple[str, ...], to: str, submission: Submission, told: dict[str, Any]
) -> Draft:
    subject, text = rendered(kind, told)
    return Draft(kind, key(kind, *about, to), to, subject, text, submission=submission)


def key(*parts: str) -> str:
    """Return the key of a mail from what it tells and to whom, shortened where it is too long."""
    whole = ":".join(parts).lower()
    if len(whole) <= _LONGEST_KEY:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()
    return f"{whole[: _LONGEST_KEY - len(digest) - 1]}:{digest}"


def rendered(kind: str, told: dict[str, Any]) -> tuple[str, str]:
    """Return the subject and the text of a mail: the first line of its template, and the rest.

    Texts in it keep to one line, so that no name of an institution or a file adds lines of its own.
    """
    clean = {name: one_line(fact) if isinstance(fact, str) else fact for name, fact in told.items()}
    site = {"site": settings.PUBLIC_URL, "contact_email": settings.CONTACT_EMAIL}
    whole = render_to_string(f"filing/mail/{kind}.txt", {**clean, **site})
    subject, _, text = whole.partition("\n")
    return subject.strip()[:200], text.strip() + "\n"


def one_line(text: str) -> str:
    """Return a text without ends of lines and other characters that do not show."""
    return _CONTROL.sub(" ", text).strip()


def is_address(text: str) -> bool:
    """Tell whether a mail can be sent there."""
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= _LONGEST_ADDRESS
