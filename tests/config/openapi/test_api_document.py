"""The API document, asked for by two requests at once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIRequestFactory

from config.openapi.api_document import ApiDocument


def test_one_request_at_a_time_makes_the_document(monkeypatch):
    """The library's first use is not safe for threads: a process that had just begun failed."""
    making, overlaps = threading.Lock(), []

    def get_schema(*_: object, **__: object) -> dict[str, Any]:
        overlaps.append(not making.acquire(blocking=False))
        time.sleep(0.05)
        if not overlaps[-1]:
            making.release()
        return {"openapi": "3.0.3"}

    monkeypatch.setattr(SchemaGenerator, "get_schema", get_schema)
    view, request = ApiDocument.as_view(), APIRequestFactory().get("/docs/openapi.json")
    with ThreadPoolExecutor(2) as threads:
        answers = [*threads.map(view, [request, request])]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert overlaps == [False, False]
