"""The webhooks of an institution: added, tested, rotated, disabled and deleted by its users.

Each change is in the audit log. The caller has checked that the user may act for the institution.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

import httpx
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.errors import AlreadyExists, MissingParent, NotFound, NotReady
from filing.jobs import queue
from filing.models import AuditEvent, Institution, Webhook, WebhookDelivery
from filing.stored_secrets import encrypt_secret
from filing.webhooks import calling, deliveries, signing

MOST_WEBHOOKS = 5  # webhooks of an institution
MOST_TESTS = 10  # test messages of an institution within `TESTS_WITHIN`
TESTS_WITHIN = timedelta(hours=1)
OVERLAP = timedelta(hours=24)  # in which the former secret signs as well
State: TypeAlias = WebhookDelivery.State


@dataclass(frozen=True)
class WebhookWithSecret:
    """A webhook and its new secret, which cannot be shown again."""

    webhook: Webhook
    secret: str


def list_webhooks(lei: str) -> QuerySet[Webhook]:
    """Return the webhooks of an institution, the oldest first."""
    return Webhook.objects.filter(lei=lei, deleted_at=None).order_by("pk")


def find_webhook(lei: str, key: int) -> Webhook:
    """Return a webhook of an institution. Raises: NotFound."""
    webhook = list_webhooks(lei).filter(pk=key).first()
    if webhook is None:
        raise NotFound(f"There is no webhook {key}.")
    return webhook


def list_deliveries(webhook: Webhook) -> QuerySet[WebhookDelivery]:
    """Return the deliveries of a webhook with their attempts, the newest first."""
    return webhook.deliveries.select_related("job").prefetch_related("attempts")


def add_webhook(lei: str, url: str, *, by: Caller) -> WebhookWithSecret:
    """Add a webhook to an institution.

    Raises: BadInput for an address that is not accepted; AlreadyExists; NotReady beyond the limit;
    MissingParent for an institution that is not in the panel.
    """
    url, secret = calling.check_address(url), signing.new_secret()
    with transaction.atomic():
        if not _lock_institution(lei):
            raise MissingParent(f"institution with ID: {lei} does not exist")
        existing = set(list_webhooks(lei).values_list("url", flat=True))
        if url in existing:
            raise AlreadyExists("The institution has a webhook with this address.")
        if len(existing) >= MOST_WEBHOOKS:
            raise NotReady(
                f"The institution has {MOST_WEBHOOKS} webhooks. Delete one that is not needed."
            )
        webhook = Webhook.objects.create(
            lei=lei,
            url=url,
            secret=encrypt_secret(secret),
            **by.actor_columns,
        )
        _record(AuditEvent.WEBHOOK_ADDED, webhook, by=by)
    return WebhookWithSecret(webhook, secret)


def rotate_secret(webhook: Webhook, *, by: Caller) -> WebhookWithSecret:
    """Give a webhook a new secret; the former one signs as well for a day."""
    secret = signing.new_secret()
    with transaction.atomic():
        current = _locked(webhook)
        current.former_secret, current.former_until = current.secret, timezone.now() + OVERLAP
        current.secret = encrypt_secret(secret)
        current.save(update_fields=["secret", "former_secret", "former_until"])
        _record(AuditEvent.WEBHOOK_SECRET_ROTATED, current, by=by)
    return WebhookWithSecret(current, secret)


def disable_webhook(webhook: Webhook, *, by: Caller, reason: str = "") -> None:
    """Stop all messages to a webhook. Repeating the call changes nothing."""
    active = Webhook.objects.filter(pk=webhook.pk, disabled_at=None, deleted_at=None)
    with transaction.atomic():
        if active.update(disabled_at=timezone.now(), disabled_reason=reason[:255]):
            _record(AuditEvent.WEBHOOK_DISABLED, webhook, by=by, reason=reason)


def enable_webhook(webhook: Webhook, *, by: Caller) -> None:
    """Let messages go to a disabled webhook again. Repeating the call changes nothing."""
    disabled = Webhook.objects.filter(pk=webhook.pk, disabled_at__isnull=False, deleted_at=None)
    with transaction.atomic():
        if disabled.update(disabled_at=None, disabled_reason="", failures=0, failing_since=None):
            _record(AuditEvent.WEBHOOK_ENABLED, webhook, by=by)


def delete_webhook(webhook: Webhook, *, by: Caller) -> None:
    """Delete a webhook and its secrets. Repeating the call changes nothing."""
    with transaction.atomic():
        gone = {"deleted_at": timezone.now(), "secret": "", "former_secret": ""}
        if Webhook.objects.filter(pk=webhook.pk, deleted_at=None).update(**gone):
            _record(AuditEvent.WEBHOOK_DELETED, webhook, by=by)


def send_test_message(webhook: Webhook, *, by: Caller) -> WebhookDelivery:
    """Queue a test message. Raises: NotReady for a disabled webhook, and beyond the limit."""
    _require_active(webhook)
    with transaction.atomic():
        _lock_institution(webhook.lei)
        tests = WebhookDelivery.objects.filter(
            webhook__lei=webhook.lei,
            type=WebhookDelivery.Type.TEST,
            made_at__gt=timezone.now() - TESTS_WITHIN,
        )
        if tests.count() >= MOST_TESTS:
            raise NotReady(
                f"The institution sent {MOST_TESTS} test messages within an hour. Send more later."
            )
        delivery = deliveries.queue_test_message(webhook)
        _record(AuditEvent.WEBHOOK_TESTED, webhook, by=by, reason=delivery.message_id)
    return delivery


def replay_delivery(webhook: Webhook, key: int, *, by: Caller) -> WebhookDelivery:
    """Send a delivery again with all its attempts and the same message ID; return it.

    Raises: NotFound; NotReady for a disabled webhook, and while the delivery waits.
    """
    _require_active(webhook)
    with transaction.atomic():
        rows = webhook.deliveries.select_for_update(of=("self",)).select_related("job")
        delivery = rows.filter(pk=key).first()
        if delivery is None:
            raise NotFound(f"There is no delivery {key}.")
        if not delivery.is_replayable or not queue.requeue_job(
            delivery.job, fair_among=deliveries.jobs_of_institution(webhook.lei)
        ):
            raise NotReady("The delivery is waiting. It is retried automatically.")
        delivery.state, delivery.tries, delivery.ended_at = State.PENDING, 0, None
        delivery.save(update_fields=["state", "tries", "ended_at"])
        delivery.job.refresh_from_db()
        _record(AuditEvent.WEBHOOK_REPLAYED, webhook, by=by, reason=delivery.message_id)
    return delivery


def _lock_institution(lei: str) -> bool:
    """Let one request at a time count what an institution has; false if it is not in the panel.

    Whoever locks the records of several years takes the oldest first, so that nobody waits in a
    circle.
    """
    records = Institution.objects.select_for_update().filter(lei=lei).order_by("pk")
    return bool(list(records.values_list("pk")))


def _locked(webhook: Webhook) -> Webhook:
    current = Webhook.objects.select_for_update().filter(pk=webhook.pk, deleted_at=None).first()
    if current is None:
        raise NotFound(f"There is no webhook {webhook.pk}.")
    return current


def _require_active(webhook: Webhook) -> None:
    if webhook.disabled_at:
        raise NotReady("The webhook is disabled. Enable it first.")


def _record(event: AuditEvent, webhook: Webhook, *, by: Caller, reason: str = "") -> None:
    # Path and query of an address may hold a password of the receiver.
    about = f"webhook {webhook.pk}: {httpx.URL(webhook.url).host}"
    audit.record_event(event, by=by, lei=webhook.lei, about=about, reason=reason)
