"""What is published."""

from __future__ import annotations

import time

import httpx

from tests.flow.conftest import Service

SECONDS = 120  # files go first, and some tests file without a pause


def published(service: Service, address: str) -> httpx.Response:
    """Ask until a worker has made the file."""
    until = time.monotonic() + SECONDS
    while (answer := httpx.get(service.url + address)).status_code == 404:
        assert time.monotonic() < until, answer.text
        time.sleep(0.1)
    return answer
