"""Webhooks are added, changed and deleted, each change with an entry that has no secret."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from filing.access import Caller
from filing.errors import BadInput, MissingParent, NotFound, NotReady
from filing.jobs import claims, queue
from filing.models import AuditEvent, Institution, TrailEntry, Webhook, WebhookDelivery
from filing.stored_secrets import decrypt_secret
from filing.webhooks import endpoints
from filing.webhooks.endpoints import MOST_TESTS, MOST_WEBHOOKS
from tests.conftest import LEI
from tests.filing.webhooks.conftest import URL

pytestmark = pytest.mark.django_db
OTHER_LEI = "529900OTHERBANK00017"


def test_the_secret_is_stored_encrypted_and_returned_once(
    institution: Institution, filer: Caller
) -> None:
    new = endpoints.add_webhook(LEI, f" {URL} ", by=filer)
    assert (new.webhook.url, new.webhook.lei) == (URL, LEI)
    stored = Webhook.objects.get().secret
    assert new.secret.removeprefix("whsec_") not in stored
    assert decrypt_secret(stored) == new.secret


def test_the_records_of_all_years_are_locked_the_oldest_first(
    institution: Institution, filer: Caller
) -> None:
    """As whoever proposes changes of them locks them: else each might wait for the other."""
    with CaptureQueriesContext(connection) as asked:
        endpoints.add_webhook(LEI, URL, by=filer)
    (lock,) = (each["sql"] for each in asked if 'FROM "filing_institution"' in each["sql"])
    assert "ORDER BY 1 ASC" in lock  # its only column, the key


def test_an_institution_has_at_most_five(webhook: Webhook, filer: Caller) -> None:
    for number in range(1, MOST_WEBHOOKS):
        endpoints.add_webhook(LEI, f"https://bank.example/{number}", by=filer)
    with pytest.raises(NotReady, match="has 5 webhooks"):
        endpoints.add_webhook(LEI, "https://bank.example/more", by=filer)
    endpoints.delete_webhook(webhook, by=filer)
    endpoints.add_webhook(LEI, "https://bank.example/more", by=filer)


@pytest.mark.parametrize("host", ["xn--", "\ud800", "a\0.example"])
def test_an_address_whose_host_is_no_name_is_refused(
    institution: Institution, filer: Caller, host: str
) -> None:
    with pytest.raises(BadInput):
        endpoints.add_webhook(LEI, f"https://{host}/", by=filer)


def test_an_institution_that_is_in_no_panel_has_none(db: None, filer: Caller) -> None:
    with pytest.raises(MissingParent):
        endpoints.add_webhook(LEI, URL, by=filer)


def test_another_institution_does_not_find_it(webhook: Webhook) -> None:
    assert endpoints.find_webhook(LEI, webhook.pk) == webhook
    with pytest.raises(NotFound):
        endpoints.find_webhook(OTHER_LEI, webhook.pk)
    assert not endpoints.list_webhooks(OTHER_LEI).exists()


def test_a_deleted_one_is_gone_with_its_secret(webhook: Webhook, filer: Caller) -> None:
    endpoints.rotate_secret(webhook, by=filer)
    endpoints.delete_webhook(webhook, by=filer)
    webhook.refresh_from_db()
    assert (webhook.secret, webhook.former_secret, webhook.state_label) == ("", "", "deleted")
    for refused in (
        lambda: endpoints.find_webhook(LEI, webhook.pk),
        lambda: endpoints.rotate_secret(webhook, by=filer),
    ):
        with pytest.raises(NotFound):
            refused()


def test_a_delivery_that_waits_is_not_replayed(webhook: Webhook, filer: Caller) -> None:
    delivery = endpoints.send_test_message(webhook, by=filer)
    with pytest.raises(NotReady, match="retried automatically"):
        endpoints.replay_delivery(webhook, delivery.pk, by=filer)
    with pytest.raises(NotFound):
        endpoints.replay_delivery(webhook, delivery.pk + 1, by=filer)


def test_a_disabled_one_sends_no_test_and_replays_nothing(webhook: Webhook, filer: Caller) -> None:
    delivery = endpoints.send_test_message(webhook, by=filer)
    endpoints.disable_webhook(webhook, by=filer)
    webhook.refresh_from_db()
    assert webhook.state_label == "disabled"
    with pytest.raises(NotReady, match="Enable it first"):
        endpoints.send_test_message(webhook, by=filer)
    with pytest.raises(NotReady, match="Enable it first"):
        endpoints.replay_delivery(webhook, delivery.pk, by=filer)
    endpoints.enable_webhook(webhook, by=filer)
    webhook.refresh_from_db()
    assert webhook.state_label == "active"


def test_an_institution_sends_a_few_test_messages_an_hour(webhook: Webhook, filer: Caller) -> None:
    other = endpoints.add_webhook(LEI, "https://bank.example/other", by=filer).webhook
    for number in range(MOST_TESTS):
        endpoints.send_test_message((webhook, other)[number % 2], by=filer)
    for each in (webhook, other):
        with pytest.raises(NotReady, match="10 test messages"):
            endpoints.send_test_message(each, by=filer)
    WebhookDelivery.objects.update(made_at=timezone.now() - timedelta(hours=1, seconds=1))
    endpoints.send_test_message(webhook, by=filer)


def test_each_change_is_in_the_audit_log_without_secrets(webhook: Webhook, filer: Caller) -> None:
    endpoints.rotate_secret(webhook, by=filer)
    delivery = endpoints.send_test_message(webhook, by=filer)
    WebhookDelivery.objects.update(state="given up")
    delivery.job.refresh_from_db()
    endpoints.replay_delivery(webhook, delivery.pk, by=filer)
    for change in (endpoints.disable_webhook, endpoints.enable_webhook, endpoints.delete_webhook):
        change(webhook, by=filer)
        change(webhook, by=filer)  # a second time changes nothing
    entries = list(TrailEntry.objects.filter(lei=LEI).order_by("pk"))
    assert [entry.event for entry in entries] == [
        AuditEvent.WEBHOOK_ADDED,
        AuditEvent.WEBHOOK_SECRET_ROTATED,
        AuditEvent.WEBHOOK_TESTED,
        AuditEvent.WEBHOOK_REPLAYED,
        AuditEvent.WEBHOOK_DISABLED,
        AuditEvent.WEBHOOK_ENABLED,
        AuditEvent.WEBHOOK_DELETED,
    ]
    assert {entry.actor_id for entry in entries} == {filer.id}
    assert {entry.about for entry in entries} == {f"webhook {webhook.pk}: bank.example"}
    assert "secret" not in "".join(entry.reason for entry in entries)


def test_messages_of_an_institution_take_turns_with_what_comes_later(
    webhook: Webhook, filer: Caller
) -> None:
    first, second, third = (endpoints.send_test_message(webhook, by=filer) for _ in range(3))
    WebhookDelivery.objects.filter(pk=first.pk).update(state="given up")
    claims.claim_job(first.job_id).release("no answer")  # type: ignore[union-attr]
    first.job.refresh_from_db()
    endpoints.replay_delivery(webhook, first.pk, by=filer)
    email = queue.add_job("mail")
    order = []
    while job := queue.find_first_job("messages"):
        order.append(job.pk)
        with transaction.atomic():
            claims.claim_job(job.pk).finish()  # type: ignore[union-attr]
    assert order == [email.pk, second.job_id, third.job_id, first.job_id]
