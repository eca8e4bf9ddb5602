"""Emails that anyone can have written to any address, by filling in a form that asks for one.

The form writes a row and a job, the same for every address: it looks nowhere whether somebody has
an account, so that its answer tells nothing, nor does the time that it takes. What the email says,
and whether there is one, is found when it is sent. Links that are as good as a password are made
then, and are kept nowhere.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from filing.emails import outbox
from filing.jobs import queue
from filing.models import Job, Mail
from filing.registries.kinds import Lease

PAUSE = timedelta(seconds=60)  # between two of these emails to one address
KEPT = timedelta(days=30)
PRUNED_AT_ONCE = 1000
NOT_YET = "This email is written when it is sent."
LEFT_OUT = "(This link is in the email alone.)"


@dataclass(frozen=True)
class Message:
    """An email as it is sent. secrets: the parts of its text that nobody else may read."""

    to: str
    subject: str
    text: str
    secrets: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The text without its secrets."""
        text = self.text
        for secret in self.secrets:
            text = text.replace(secret, LEFT_OUT)
        return text


Writer = Callable[[str], Message | None]
WRITERS: dict[str, Writer] = {}


def register(kind: str, writer: Writer) -> None:
    """Say what writes a kind of email to an address, or answers none where none is due.

    Floors above do so when their app is ready.
    """
    WRITERS[kind] = writer


def ask(kind: str, to: str, *, subject: str) -> Mail:
    """Write down that an email is to go to an address, and the job that sends it.

    To be called inside the transaction that writes what it is about.
    """
    to = to.strip().lower()
    job = queue.add("mail")
    return Mail.objects.create(
        kind=kind,
        key=outbox.key(kind, uuid.uuid4().hex, to),
        to=to,
        subject=subject,
        text=NOT_YET,
        job=job,
    )


def message(mail: Mail, lease: Lease) -> Message | None:
    """Return the email to send now; none where there is nothing to send, or not yet.

    To be called inside the transaction that hands it over: workers that have emails to one address
    wait here for each other. What will never be sent is deleted, so that addresses of nobody fill
    no table.
    """
    now = timezone.now()
    of_address = Mail.objects.select_for_update(of=("self",)).select_related("job")
    recent = Q(handed_over_at=None) | Q(handed_over_at__gt=now - PAUSE) | Q(pk__gte=mail.pk)
    # This one is among them, and all workers take them in one order: none waits for another's last.
    locked = of_address.filter(recent, to=mail.to, kind__in=list(WRITERS)).order_by("pk")
    beside = [each for each in locked if each.pk != mail.pk]
    written = None if _is_overtaken(mail, beside) else WRITERS[mail.kind](mail.to)
    if written is None:
        _drop(mail, lease)
        return None
    latest = max((each.handed_over_at for each in beside if each.handed_over_at), default=None)
    if latest and latest + PAUSE > now:
        lease.postpone(latest + PAUSE)
        return None
    return written


def _is_overtaken(mail: Mail, beside: list[Mail]) -> bool:
    """Tell whether the same was asked for once more: the newer email says all that is true now."""
    return any(
        each.pk > mail.pk
        and each.kind == mail.kind
        and (each.handed_over_at or each.job.state != Job.State.FAILED)
        for each in beside
    )


def _drop(mail: Mail, lease: Lease) -> None:
    lease.renew()
    Mail.objects.filter(pk=mail.pk).delete()
    Job.objects.filter(pk=lease.job_id).delete()


def prune() -> int:
    """Delete what was asked for long ago; return how many rows."""
    pruned = 0
    old = Mail.objects.filter(
        kind__in=list(WRITERS),
        made_at__lt=timezone.now() - KEPT,
        job__state__in=[Job.State.DONE, Job.State.FAILED],
    ).order_by("pk")
    while some := list(old.values_list("pk", "job_id")[:PRUNED_AT_ONCE]):
        with transaction.atomic():
            Mail.objects.filter(pk__in=[pk for pk, _ in some]).delete()
            Job.objects.filter(pk__in=[job for _, job in some]).delete()
        pruned += len(some)
    return pruned
