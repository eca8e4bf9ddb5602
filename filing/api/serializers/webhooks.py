"""Webhooks, their deliveries and attempts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.api.serializers.filings import Links, Milliseconds, Readable, Text
from filing.api.value_schemas import HOST, text_schema
from filing.models import WebhookDelivery
from filing.webhooks.calling import LONGEST_URL, PORTS
from filing.webhooks.endpoints import WebhookWithSecret

# The host is written in ASCII: one with other letters in Punycode.
_ADDRESS = rf"https://{HOST}(?::(?:{'|'.join(map(str, PORTS))}))?(?:[/?][^#\x00-\x20]*)?"


@extend_schema_field(text_schema(_ADDRESS, maxLength=LONGEST_URL))
class WebhookAddress(Text):
    """The address of a webhook."""


class WebhookRequest(serializers.Serializer[Any]):
    """The address of a new webhook."""

    url = WebhookAddress(help_text="Begins with `https://`; port 443 or 8443.")


class WebhookBody(Readable):
    """One webhook."""

    id = serializers.IntegerField(source="pk")
    url = serializers.CharField()
    state = serializers.CharField(
        source="state_label", help_text="`active`, `failing` or `disabled`."
    )
    addedAt = Milliseconds(source="added_at")
    lastSuccessAt = Milliseconds(source="succeeded_at")
    failures = serializers.IntegerField(help_text="Failed attempts since the last success.")
    disabledReason = serializers.CharField(source="disabled_reason")


class NewWebhook(WebhookBody):
    """A new webhook with its secret, which is only in this response."""

    secret = serializers.CharField(
        help_text="Verifies signatures, as Standard Webhooks describes; begins with `whsec_`."
    )

    def to_representation(self, instance: WebhookWithSecret) -> dict[str, Any]:
        return {**WebhookBody(instance.webhook).data, "secret": instance.secret}


class WebhookList(serializers.Serializer[Any]):
    """The webhooks of an institution."""

    webhooks = WebhookBody(many=True)


class DeliveryAttempt(Readable):
    """One request to the address, and its answer."""

    at = Milliseconds(source="started_at")
    milliseconds = serializers.IntegerField(help_text="How long it took.")
    httpStatus = serializers.IntegerField(
        source="status", allow_null=True, help_text="Null without an answer."
    )
    answer = serializers.CharField(help_text="The beginning of the answer.")
    error = serializers.CharField(help_text="Why it failed; empty if it was delivered.")


class DeliveryBody(Readable):
    """One delivery with its attempts."""

    id = serializers.IntegerField(source="pk")
    messageId = serializers.CharField(
        source="message_id", help_text="`webhook-id` of each attempt."
    )
    type = serializers.CharField(help_text="`submission.at_rest`, `submission.signed` or `test`.")
    submission = serializers.CharField(source="about", help_text="Empty for a test.")
    state = serializers.CharField(
        source="state_label",
        help_text="`waiting`, `waiting to retry`, `delivered` or `given up`.",
    )
    createdAt = Milliseconds(source="made_at")
    nextAttemptAt = serializers.SerializerMethodField(help_text="0 if there is none.")
    body = serializers.CharField(help_text="The message, as it is sent and signed.")
    attempts = DeliveryAttempt(many=True)

    def get_nextAttemptAt(self, delivery: WebhookDelivery) -> int:  # noqa: N802
        if delivery.state != WebhookDelivery.State.PENDING:
            return 0
        return int(delivery.job.not_before.timestamp() * 1000)


class DeliveryPage(serializers.Serializer[Any]):
    """A page of the deliveries of a webhook, the newest first."""

    deliveries = DeliveryBody(many=True)
    count = serializers.IntegerField()
    total = serializers.IntegerField()
    _links = Links()
