"""Sends JSON to the filing API, and reads what its answers have."""

from __future__ import annotations

from typing import Any

from django.test import Client


def post_json(client: Client, address: str, body: Any, **more: Any) -> Any:
    return client.post(address, body, content_type="application/json", **more)


def milliseconds(time: Any) -> int:
    """Return a time as the API gives it."""
    return int(time.timestamp() * 1000 + 0.5)
