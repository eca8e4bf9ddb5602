"""Sends emails: each at least once, and with the same `Message-ID` each time.

A worker that dies after the mail server has accepted an email, and before that is recorded, leaves
its job to another, which sends the email again. Mail servers and programs drop the double by its
`Message-ID`.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.utils import timezone

from filing import audit, day_hours, registries
from filing.access import Caller
from filing.emails import requested, secret_links
from filing.emails.requested import Attachment, WrittenEmail
from filing.errors import Hopeless, NotReady
from filing.jobs import queue
from filing.jobs.leases import retry_write
from filing.models import Job, Mail, SignedReceipt
from filing.receipts import documents
from filing.registries import Lease

SERVER_PAUSE_SECONDS = 60  # after the mail server did not answer, before any email is retried


def send_email(lease: Lease) -> None:
    """Send the email of a job. Raises: Hopeless when the mail server refuses it for good."""
    mail = Mail.objects.get(job_id=lease.job_id)
    message = _prepare_message(mail, lease)
    if message is None:
        return
    try:
        with get_connection() as server:
            server.send_messages([_email(mail, message)])
            # Before the connection closes, which may fail.
            retry_write(lambda: _record_sent(mail, lease))
    except (SMTPRecipientsRefused, SMTPDataError) as error:
        _raise_if_for_good(mail, error)
        raise
    except OSError:
        # The mail server is down. Each try of another email may last until the connection times
        # out, and delays files meanwhile.
        until = timezone.now() + timedelta(seconds=SERVER_PAUSE_SECONDS)
        queue.delay_jobs("mail", until=until)
        raise


@transaction.atomic
def _prepare_message(mail: Mail, lease: Lease) -> WrittenEmail | None:
    """Return the email to send now, if there is one, and store its text without secrets.

    Raises: LostLease.
    """
    if mail.kind in requested.WRITERS:
        message = requested.write_requested_email(mail, lease)
    else:
        message = secret_links.write_email_with_link(mail) or WrittenEmail(
            mail.to, mail.subject, mail.text, attachments=_attachments(mail)
        )
    if message is not None:
        lease.renew()
        mail.subject, mail.text = message.subject, message.redacted_text
        mail.save(update_fields=["subject", "text"])
    return message


def _attachments(mail: Mail) -> tuple[Attachment, ...]:
    """Return the receipt file for an email with a receipt, if the receipt is signed."""
    if mail.kind != "receipt" or mail.submission is None:
        return ()
    signed = SignedReceipt.objects.filter(signature__submission=mail.submission).first()
    if signed is None:
        return ()
    name = documents.name_receipt_file(signed.signature)
    return ((name, documents.write_receipt_file(signed), documents.CONTENT_TYPE),)


def _email(mail: Mail, message: WrittenEmail) -> EmailMessage:
    headers = {"Message-ID": make_message_id(mail), "Auto-Submitted": "auto-generated"}
    email = EmailMessage(message.subject, message.text, None, [message.to], headers=headers)
    for name, content, media_type in message.attachments:
        email.attach(name, content, media_type)
    return email


@transaction.atomic
def _record_sent(mail: Mail, lease: Lease) -> None:
    """Record that the mail server has accepted the email. Raises: LostLease."""
    lease.finish()
    Mail.objects.filter(pk=mail.pk).update(sent_at=timezone.now())


def _raise_if_for_good(mail: Mail, error: SMTPRecipientsRefused | SMTPDataError) -> None:
    """Raise Hopeless for a permanent refusal (5xx, RFC 5321 4.2.1), which is not retried."""
    if isinstance(error, SMTPDataError):
        code, answer = error.smtp_code, error.smtp_error
    else:
        code, answer = next(iter(error.recipients.values()))
    if code >= 500:
        text = answer.decode(errors="replace") if isinstance(answer, bytes) else answer
        raise Hopeless(f"The mail server refuses {mail.to}: {code} {text}") from error


def plan_send_email_again(mail: Mail) -> str:
    """Return what sending an email again would do. Raises: NotReady unless it failed."""
    if mail.sent_at:
        raise NotReady(f"It was sent on {day_hours.moment_in_words(mail.sent_at)}.")
    if mail.job.state != Job.State.FAILED:
        raise NotReady("It has not been sent yet. It is retried automatically.")
    return f"It is retried up to {registries.find_retry_policy('mail').attempts} times."


def send_email_again(mail: Mail, *, by: Caller, reason: str) -> str:
    """Put an email back into the queue, with a note by the user; return what was done.

    Raises: NotReady unless it failed; BadInput without a reason.
    """
    plan_send_email_again(mail)
    with transaction.atomic():
        audit.add_note(mail, by=by, text=reason)
        if not queue.requeue_job(mail.job):
            raise NotReady("It was just sent, or another user has put it into the queue.")
    return "It is in the queue."


def make_message_id(mail: Mail) -> str:
    """Return the `Message-ID` of an email, the same each time that it is sent."""
    digest = hashlib.sha256(mail.key.encode()).hexdigest()[:32]
    return f"<{digest}@{urlsplit(settings.PUBLIC_URL).hostname}>"
