"""Repeated calls of the filing API: the refusals of an idempotency key that the document shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from tests.flow.recording import SECONDS, Recording

KEY = {"Idempotency-Key": "a5c3f9e2-77b1-4f5e-9c55-0d9b7c1a2e64"}
BODY, OTHER_BODY = {"json": {"verified": True}}, {"json": {"verified": False}}
FILE, OTHER_FILE = ({"files": {"file": ("lar.txt", content)}} for content in (b"1", b"12"))
# All requests with a key are in work again, as if their process had not answered yet.
IN_WORK = """
from datetime import timedelta
from django.utils import timezone
from filing.models import IdempotentRequest
until = timezone.now() + timedelta(hours=1)
IdempotentRequest.objects.update(status=None, owner="another process", lease_until=until)
"""


def record(
    recording: Recording, token: str, paths: Sequence[str], *, uploads: Sequence[str] = ()
) -> None:
    """Record what POSTs answer to a key with another body, and to one that is still in work.

    uploads: those that take a file.
    """
    calls: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        *((path, BODY, OTHER_BODY) for path in paths),
        *((path, FILE, OTHER_FILE) for path in uploads),
    ]
    headers = {"Authorization": f"Bearer {token}", **KEY, "Tus-Resumable": "1.0.0"}
    with httpx.Client(base_url=recording.service.url, headers=headers, timeout=SECONDS) as client:
        for path, body, other in calls:
            first = client.post(path, **body)
            assert first.status_code < 500, first.text
            recording.recorder.record(client.post(path, **other))
        recording.run_program(IN_WORK)
        for path, body, _ in calls:
            recording.recorder.record(client.post(path, **body))
