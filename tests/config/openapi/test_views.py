from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIRequestFactory

from config.openapi.views import ApiDocument
from tests.api_document import api_document


@pytest.mark.django_db
def test_every_call_and_every_shape_stands_in_the_reference():
    document = api_document()
    page = Client().get(reverse("redoc")).content.decode()
    calls = [each for methods in document["paths"].values() for each in methods.values()]
    assert calls
    for call in calls:
        assert f'id="{call["operationId"]}"' in page
    for shape in document["components"]["schemas"]:
        assert f'id="shape-{shape}"' in page
    named = {part.split('"')[0] for part in page.split('href="#')[1:]}
    assert not {name for name in named if f'id="{name}"' not in page}


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
