"""Sends emails: each is handed to the mail server once, and the outcome is recorded.

The row of an email is marked before it is handed over, and again when the server has accepted it. A
worker that finds only the first mark does not retry: the server may have accepted the email, and
only staff may decide to send it a second time. It then has the same `Message-ID`.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from filing import day_hours
from filing.access import Caller
from filing.audit import notes
from filing.emails import delivery, requested
from filing.emails.requested import Attachment, Message
from filing.errors import Hopeless, LostLease, NotReady
from filing.jobs import claims, queue
from filing.jobs.persisting import persist
from filing.models import Job, Mail, SignedReceipt
from filing.receipts import documents
from filing.registries import kinds
from filing.registries.kinds import Lease

# The mail server may have accepted these, and no worker can find out.
UNANSWERED = Q(sent_at=None, handed_over_at__isnull=False, job__state=Job.State.FAILED)
RECORD_SECONDS = 35  # for a database to restart before the server's answer is lost
SERVER_PAUSE_SECONDS = 60  # after the mail server did not answer, before any email is retried


def send(lease: Lease) -> None:
    """Send the email of a job.

    Raises: Hopeless when the mail server refuses it for good, or may have accepted it before.
    """
    mail = Mail.objects.get(job_id=lease.job_id)
    if mail.sent_at:
        with transaction.atomic():
            lease.finish()
        return
    if mail.handed_over_at:
        raise Hopeless(f"{_perhaps(mail.handed_over_at)} before the worker ended.")
    with transaction.atomic():
        is_due = _message(mail, lease) is not None
    if is_due:
        _deliver(mail, lease)


def _deliver(mail: Mail, lease: Lease) -> None:
    try:
        with delivery.connection() as server:
            at = timezone.now()
            message = _hand_over(mail, lease, at)
            if message is None:
                return
            _give(mail, message, server, at)
            _record_sent(mail)  # before the connection closes, which may take a while
    except (SMTPRecipientsRefused, SMTPDataError) as error:
        _raise_if_for_good(mail, error)
        raise
    except OSError:
        _pause_sending()
        raise
    _finish(lease)


def _message(mail: Mail, lease: Lease) -> Message | None:
    """Return the email to send now, if there is one."""
    if mail.kind in requested.WRITERS:
        return requested.message(mail, lease)
    return Message(mail.to, mail.subject, mail.text, attachments=_attachments(mail))


def _attachments(mail: Mail) -> tuple[Attachment, ...]:
    """Return the receipt file for an email with a receipt, if the receipt is signed."""
    if mail.kind != "receipt" or mail.submission is None:
        return ()
    signed = SignedReceipt.objects.filter(signature__submission=mail.submission).first()
    if signed is None:
        return ()
    name = documents.file_name(signed.signature)
    return ((name, documents.receipt_file(signed), documents.CONTENT_TYPE),)


@transaction.atomic
def _hand_over(mail: Mail, lease: Lease, at: datetime) -> Message | None:
    """Mark the email as handed over to the mail server, and return it."""
    message = _message(mail, lease)
    if message is not None:
        lease.renew()  # only the worker that has the job may hand it over
        Mail.objects.filter(pk=mail.pk).update(
            handed_over_at=at, subject=message.subject, text=message.redacted_text
        )
    return message


def _give(mail: Mail, message: Message, server: Any, at: datetime) -> None:
    headers = {"Message-ID": _message_id(mail), "Auto-Submitted": "auto-generated"}
    try:
        email = EmailMessage(message.subject, message.text, None, [message.to], headers=headers)
        for name, content, media_type in message.attachments:
            email.attach(name, content, media_type)
        delivery.hand_over(email, server)
    except delivery.Unanswered as error:
        raise Hopeless(f"{_perhaps(at)} ({error}).") from error
    except Exception:  # after any other error the server has not accepted it
        unsent = Mail.objects.filter(pk=mail.pk, handed_over_at=at, sent_at=None)
        unsent.update(handed_over_at=None)
        raise


def _record_sent(mail: Mail) -> None:
    """Record that the server has accepted the email, whichever worker has the job by now.

    No other process knows the answer of the server.
    """
    unsent = Mail.objects.filter(pk=mail.pk, sent_at=None)
    persist(lambda: unsent.update(sent_at=timezone.now()), seconds=RECORD_SECONDS)


def _finish(lease: Lease) -> None:
    try:
        with transaction.atomic():
            lease.finish()
    except LostLease:
        # The worker that took the job over could not know the answer, and has failed it.
        claims.mark_done_after_all(lease.job_id)
        raise


def _perhaps(handed_over_at: datetime) -> str:
    at = day_hours.moment_in_words(handed_over_at, seconds=True)
    return f"The mail server may have accepted it on {at}; it did not answer"


def _raise_if_for_good(mail: Mail, error: SMTPRecipientsRefused | SMTPDataError) -> None:
    """Raise Hopeless for a permanent refusal (5xx, RFC 5321 4.2.1), which is not retried."""
    if isinstance(error, SMTPDataError):
        code, answer = error.smtp_code, error.smtp_error
    else:
        code, answer = next(iter(error.recipients.values()))
    if code >= 500:
        text = answer.decode(errors="replace") if isinstance(answer, bytes) else answer
        raise Hopeless(f"The mail server refuses {mail.to}: {code} {text}") from error


def _pause_sending() -> None:
    """Delay all other emails while the mail server is down.

    Each try may last until the connection times out, and delays files meanwhile.
    """
    until = timezone.now() + timedelta(seconds=SERVER_PAUSE_SECONDS)
    queue.hold("mail", until=until)


def plan_send_again(mail: Mail) -> str:
    """Return what sending an email again would do.

    Raises: NotReady unless it failed, or the mail server did not answer.
    """
    if mail.sent_at:
        raise NotReady(f"It was sent on {day_hours.moment_in_words(mail.sent_at)}.")
    if mail.job.state != Job.State.FAILED:
        raise NotReady("It has not been sent yet. It is retried automatically.")
    if mail.handed_over_at:
        return f"{_perhaps(mail.handed_over_at)}. It is sent again, with the same Message-ID."
    return f"It is retried up to {kinds.patience('mail').attempts} times."


def send_again(mail: Mail, *, by: Caller, reason: str) -> str:
    """Put an email back into the queue, with a note by the user; return what was done.

    Raises: NotReady unless it failed, or the mail server did not answer; BadInput without a reason.
    """
    plan_send_again(mail)
    with transaction.atomic():
        notes.add(mail, by=by, text=reason)
        unsent = Mail.objects.filter(pk=mail.pk, sent_at=None).update(handed_over_at=None)
        if not unsent or not queue.again(mail.job):
            raise NotReady("It was just sent, or another user has put it into the queue.")
    return "It is in the queue."


def _message_id(mail: Mail) -> str:
    digest = hashlib.sha256(mail.key.encode()).hexdigest()[:32]
    return f"<{digest}@{urlsplit(settings.PUBLIC_URL).hostname}>"
