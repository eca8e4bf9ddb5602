"""The calls of webhooks whose answers the API document shows."""

from __future__ import annotations

from functools import partial

from tests.flow import repeated_examples
from tests.flow.recording import LEI, Recording

# A delivery as it is after an attempt. Nothing is sent when it is replayed: the webhook is paused.
DELIVERY = """
import json
from datetime import UTC, datetime, timedelta
from django.utils import timezone
from filing.models import Job, Webhook, WebhookDelivery
webhook = Webhook.objects.get(pk={key})
Webhook.objects.update(paused_until=timezone.now() + timedelta(days=1))
at = datetime(2025, 3, 3, 11, 6, 40, tzinfo=UTC)
data = {{
    "lei": webhook.lei,
    "period": {{"year": "2024", "quarter": None}},
    "sequenceNumber": 1,
    "status": {{"code": 14, "message": "Your data is ready for submission."}},
}}
message = {{
    "type": "submission.at_rest",
    "timestamp": at.isoformat(timespec="milliseconds"),
    "sequence": 4711,
    "data": data,
}}
delivery = WebhookDelivery.objects.create(
    webhook=webhook, message_id="msg_0123456789abcdef0123456789abcdef", type=message["type"],
    about=f"{{webhook.lei}}-2024-1", body=json.dumps(message, separators=(",", ":")),
    job=Job.objects.create(stage="webhook", state="done", large=True), state="given up",
    made_at=at,
)
delivery.attempts.create(
    started_at=at, milliseconds=87, status=503, answer="Try again later",
    error="The address answered 503.",
)
print(delivery.pk)
"""


def record(recording: Recording, token: str) -> None:
    """Record all operations of webhooks, and their refusals."""
    call = partial(recording.call, token=token)
    path = f"/v2/filing/institutions/{LEI}/webhooks"
    body = {"url": "https://bank.example/hmda"}
    key = call("POST", path, json=body).json()["id"]
    call("POST", path, json=body)
    call("POST", path, json={"url": "http://bank.example/hmda"})
    call("GET", path)
    delivery = recording.run_program(DELIVERY.format(key=key))
    deliveries = f"{path}/{key}/deliveries"
    replay = f"{deliveries}/{delivery}/replay"
    call("GET", deliveries)
    call("POST", replay)
    call("POST", replay)
    call("POST", f"{deliveries}/1{delivery}/replay")
    of_webhooks = ("GET", path), ("POST", path), ("DELETE", f"{path}/{key}")
    recording.refuse_others(token, *of_webhooks, ("GET", deliveries), ("POST", replay))
    repeated_examples.record(recording, token, [path, replay])
    recording.run_program(_DELETED.format(key=key))
    call("DELETE", f"{path}/{key}")
    call("GET", deliveries)


_DELETED = """
from filing.access import SERVICE
from filing.models import Webhook
from filing.webhooks import endpoints
endpoints.delete_webhook(Webhook.objects.get(pk={key}), by=SERVICE)
"""
