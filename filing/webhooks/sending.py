"""Sends the deliveries of webhooks: each at least once, with the same message ID in each attempt.

A worker that is killed between the answer and its record leaves a job whose lease expires, and the
message is sent again. A failed attempt gives the job back for later.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from filing import access
from filing.access import SERVICE, Right
from filing.emails import outbox
from filing.jobs.leases import retry_write
from filing.models import Institution, Mail, Membership, Webhook, WebhookAttempt, WebhookDelivery
from filing.registries import Lease
from filing.stored_secrets import UnreadableSecret, decrypt_secret
from filing.webhooks import calling, endpoints, signing
from filing.webhooks.calling import CallOutcome

# After each failed attempt, three days and three hours in all. Each is changed by up to a fifth, so
# that the messages of an outage do not come back all at once.
# Source: Standard Webhooks 1.0.0, the schedule of retries that it suggests.
PAUSES = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
JITTER = 0.2
# A webhook is disabled after so many failures in a row, if the first was so long ago.
FAILURES = 20
FAILING = timedelta(hours=24)
GONE = 410  # the receiver wants no more messages (Standard Webhooks)
# One message goes to a webhook at a time. A slow one then waits four times as long as it took: it
# uses at most a fifth of one worker.
SLOW_SECONDS = 1.0
SHARE = 4
_GRACE = timedelta(seconds=30)  # for a worker that was killed while it sent

State = WebhookDelivery.State
EMAIL_KIND = "webhook"


def send_delivery(lease: Lease) -> None:
    """Make one attempt at the delivery of a job, unless it has ended."""
    delivery = WebhookDelivery.objects.select_related("webhook").get(job_id=lease.job_id)
    webhook = delivery.webhook
    if delivery.state != State.PENDING:
        with transaction.atomic():
            lease.finish()
    elif webhook.disabled_at or webhook.deleted_at:
        with transaction.atomic():
            lease.finish()
            _end(delivery, State.GIVEN_UP)
    elif until := _occupied_until(webhook):
        lease.postpone(until)
    else:
        started = timezone.now()
        outcome = _call(delivery, started)
        retry_write(lambda: _record(lease, delivery, outcome, started))


def end_delivery(job_id: int) -> None:
    """Give a delivery up whose job failed: after errors of the service, not of the receiver."""
    for delivery in WebhookDelivery.objects.filter(job_id=job_id, state=State.PENDING):
        _end(delivery, State.GIVEN_UP)


def _occupied_until(webhook: Webhook) -> datetime | None:
    """Occupy a webhook for one attempt; if it is occupied or paused, return until when."""
    now = timezone.now()
    free = Webhook.objects.filter(pk=webhook.pk, paused_until__lte=now)
    if free.update(paused_until=now + timedelta(seconds=calling.TOTAL_SECONDS) + _GRACE):
        return None
    return Webhook.objects.get(pk=webhook.pk).paused_until


def _call(delivery: WebhookDelivery, at: datetime) -> CallOutcome:
    try:
        keys = _secrets(delivery.webhook, at)
    except UnreadableSecret as refusal:
        return CallOutcome(milliseconds=0, error=refusal.message)
    headers = signing.sign_headers(
        delivery.message_id, delivery.body, at=int(at.timestamp()), keys=keys
    )
    return calling.post_message(delivery.webhook.url, headers=headers, body=delivery.body)


def _secrets(webhook: Webhook, at: datetime) -> list[str]:
    """Return the secrets that sign now, the newest first."""
    encrypted_secrets = [webhook.secret]
    if webhook.former_until and webhook.former_until > at:
        encrypted_secrets.append(webhook.former_secret)
    return [decrypt_secret(each) for each in encrypted_secrets]


@transaction.atomic
def _record(
    lease: Lease, delivery: WebhookDelivery, outcome: CallOutcome, started: datetime
) -> None:
    """Record an attempt, and end the delivery or give its job back for the next attempt.

    Raises: LostLease.
    """
    now = timezone.now()
    tries = delivery.tries + 1
    if not outcome.error or tries > len(PAUSES):
        lease.finish()
        _end(delivery, State.GIVEN_UP if outcome.error else State.DELIVERED)
    else:
        jitter = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 -- not a secret
        lease.postpone(now + PAUSES[tries - 1] * jitter)
    WebhookDelivery.objects.filter(pk=delivery.pk).update(tries=tries)
    WebhookAttempt.objects.create(
        delivery=delivery,
        started_at=started,
        milliseconds=outcome.milliseconds,
        status=outcome.status,
        answer=outcome.answer,
        error=outcome.error,
    )
    _record_at_webhook(delivery.webhook, outcome, started)


def _record_at_webhook(webhook: Webhook, outcome: CallOutcome, started: datetime) -> None:
    now, took = timezone.now(), outcome.milliseconds / 1000
    pause = timedelta(seconds=SHARE * took if took >= SLOW_SECONDS else 0)
    row = Webhook.objects.filter(pk=webhook.pk)
    if not outcome.error:
        row.update(paused_until=now + pause, succeeded_at=now, failures=0, failing_since=None)
        return
    row.update(
        paused_until=now + pause,
        failures=F("failures") + 1,
        failing_since=Coalesce("failing_since", started),
    )
    webhook.refresh_from_db()
    if reason := _reason_to_disable(webhook, outcome, now):
        endpoints.disable_webhook(webhook, by=SERVICE, reason=reason)
        webhook.refresh_from_db()
        queue_disabled_email(webhook, reason)


def _reason_to_disable(webhook: Webhook, outcome: CallOutcome, now: datetime) -> str:
    """Return why a webhook that failed is disabled; blank if it is not."""
    if webhook.disabled_at or webhook.deleted_at:
        return ""
    if outcome.status == GONE:
        return f"The address answered {GONE}: it accepts no more messages."
    since = webhook.failing_since
    if webhook.failures >= FAILURES and since and since <= now - FAILING:
        return f"{webhook.failures} attempts in a row failed, the last one: {outcome.error}"
    return ""


def _end(delivery: WebhookDelivery, state: WebhookDelivery.State) -> None:
    WebhookDelivery.objects.filter(pk=delivery.pk).update(state=state, ended_at=timezone.now())


def queue_disabled_email(webhook: Webhook, reason: str) -> list[Mail]:
    """Queue the email, in the transaction that disables the webhook."""
    institution = Institution.objects.filter(lei=webhook.lei).order_by("activity_year").last()
    facts = {
        "lei": webhook.lei,
        "institution": institution.name if institution else "",
        "address": webhook.url,
        "key": webhook.pk,
        "reason": reason,
    }
    about = (str(webhook.pk), f"{webhook.disabled_at:%Y%m%d%H%M%S%f}")
    return outbox.queue_emails(
        [
            outbox.draft_email(EMAIL_KIND, about, to, facts, institution=institution)
            for to in _recipients(webhook)
        ]
    )


def _recipients(webhook: Webhook) -> list[str]:
    """Return the addresses of the institution's administrators.

    Without any, that of the user who added it, or if that one may no longer look after webhooks,
    those of all who may: the address in the email may hold a password. A user of another identity
    provider has no account here: the token alone gave the right.
    """
    rows = access.with_grounds(
        Membership.objects.filter(lei=webhook.lei, user__is_active=True).select_related("user")
    )
    rights = [(row.user.email, access.grounds_for_membership(row).rights) for row in rows]
    if administrators := {email for email, each in rights if Right.MANAGE in each}:
        return sorted(administrators)
    members = {email.lower(): email for email, each in rights if Right.CONNECT in each}
    adder = webhook.actor_email.lower()
    if adder in members:
        return [members[adder]]
    if members:
        return sorted(members.values())
    has_account = User.objects.filter(email__iexact=adder).exists()
    return [] if has_account else [webhook.actor_email]
