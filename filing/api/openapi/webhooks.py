"""The operations of webhooks."""

from __future__ import annotations

from filing.api.openapi import NO_INSTITUTION, PAGE, operation, refused
from filing.api.serializers.webhooks import (
    DeliveryBody,
    DeliveryPage,
    NewWebhook,
    WebhookList,
    WebhookRequest,
)

_MISSING = refused("There is no webhook 1.")

list_webhooks = operation("List the webhooks", {200: WebhookList})
add_webhook = operation(
    "Add a webhook",
    {
        201: NewWebhook,
        400: refused(
            "http://bank.example/hmda is not accepted; enter an address that begins with https://.",
            "The institution has a webhook with this address.",
            "The institution has 5 webhooks. Delete one that is not needed.",
            NO_INSTITUTION,
        ),
    },
    request=WebhookRequest,
    takes_key=True,
    description=(
        "The address gets a signed message when a submission of the institution stops at a status "
        "that waits for a person or is final, and when one is signed. The response has the secret "
        "that verifies the signatures; it is not shown again."
    ),
)
delete_webhook = operation("Delete a webhook", {204: None, 404: _MISSING})
list_deliveries = operation(
    "List the deliveries of a webhook",
    {200: DeliveryPage, 404: _MISSING},
    parameters=(PAGE,),
    description="Deliveries are kept 30 days.",
)
replay_delivery = operation(
    "Replay a delivery of a webhook",
    {
        202: DeliveryBody,
        400: refused(
            "The webhook is disabled. Enable it first.",
            "The delivery is waiting. It is retried automatically.",
        ),
        404: refused("There is no webhook 1.", "There is no delivery 1."),
    },
    takes_key=True,
    description="The message is sent again with the same `webhook-id`, with all its attempts.",
)
