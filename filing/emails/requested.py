"""Emails that anyone can request for any address, in a form such as sign-up.

The form writes a row and a job, the same for every address: it does not look up whether there is an
account, so neither its answer nor its duration reveals one. The text of the email, and whether one
is sent at all, is decided when the job runs. Links that work like a password are created only then
and not stored.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from filing.emails import outbox
from filing.jobs import queue, sweeper
from filing.models import Job, Mail
from filing.registries import Lease

PAUSE = timedelta(seconds=60)  # between two of these emails to one address
RETENTION = timedelta(days=30)
_RULE = f"requested emails are kept {RETENTION.days} days."
NOT_YET = "The text of this email is written when it is sent."
LEFT_OUT = "(This link is only in the email.)"


Attachment = tuple[str, bytes, str]


@dataclass(frozen=True)
class WrittenEmail:
    """An email as it is sent. secrets: the parts of its text that only the recipient may read.

    attachments: name, content and media type of each file.
    """

    to: str
    subject: str
    text: str
    secrets: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()

    @property
    def redacted_text(self) -> str:
        """The text without its secrets."""
        text = self.text
        for secret in self.secrets:
            text = text.replace(secret, LEFT_OUT)
        return text


Writer = Callable[[str], WrittenEmail | None]
WRITERS: dict[str, Writer] = {}


def register_email_writer(kind: str, writer: Writer) -> None:
    """Register the function that writes a kind of email to an address, or returns none.

    Apps on upper floors do so when they are ready.
    """
    WRITERS[kind] = writer


def request_email(kind: str, to: str, *, subject: str) -> Mail:
    """Write the row of an email to an address, and the job that sends it.

    Call this in the transaction that writes what it is about.
    """
    to = to.strip().lower()
    job = queue.add_job("mail")
    return Mail.objects.create(
        kind=kind,
        key=outbox.make_email_key(kind, uuid.uuid4().hex, to),
        to=to,
        subject=subject,
        text=NOT_YET,
        job=job,
    )


def write_requested_email(mail: Mail, lease: Lease) -> WrittenEmail | None:
    """Return the email to send now; none where there is nothing to send, or not yet.

    Call this in the transaction that stores its text: workers with emails to the same address wait
    here for each other. A request that will never be sent is deleted, so that unknown addresses do
    not fill the table.
    """
    rows = Mail.objects.select_for_update(of=("self",)).select_related("job")
    recent = Q(sent_at=None) | Q(sent_at__gt=timezone.now() - PAUSE) | Q(pk__gte=mail.pk)
    # This email is one of them. All workers lock them in the same order, so there is no deadlock.
    locked = rows.filter(recent, to=mail.to, kind__in=list(WRITERS)).order_by("pk")
    others = [other for other in locked if other.pk != mail.pk]
    email = None if _is_superseded(mail, others) else WRITERS[mail.kind](mail.to)
    if email is None:
        _delete(mail, lease)
        return None
    now = timezone.now()  # the locks may have taken a while
    times = [other.sent_at for other in others if other.sent_at]
    # An email has its text from when its sending began. Whether that goes on is read after the
    # locks: whoever had them before may have given its job back.
    begun = [other for other in others if other.text != NOT_YET]
    if queue.find_running_jobs(now).filter(mail__in=begun).exists():
        times.append(now)
    latest = max(times, default=None)
    if latest and latest + PAUSE > now:
        lease.postpone(latest + PAUSE)
        return None
    return email


def _is_superseded(mail: Mail, others: list[Mail]) -> bool:
    """Tell whether the same email was requested again later; the newer one is up to date."""
    return any(
        other.pk > mail.pk and other.kind == mail.kind and other.job.state != Job.State.FAILED
        for other in others
    )


def _delete(mail: Mail, lease: Lease) -> None:
    lease.renew()
    Mail.objects.filter(pk=mail.pk).delete()
    sweeper.delete_jobs([lease.job_id], rule="emails that were requested again are not sent.")


def prune_requested_emails() -> int:
    """Delete old requests; return how many."""
    before = timezone.now() - RETENTION
    old = Mail.objects.filter(kind__in=list(WRITERS), made_at__lt=before)
    return sweeper.delete_with_jobs(old, rule=_RULE)
