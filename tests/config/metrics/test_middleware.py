"""Every answer is counted, those of other middleware and of errors too."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from config import urls
from config.metrics.requests import COUNTS, SECONDS
from config.urls import handler400, handler403, handler404, handler500  # noqa: F401


def trouble(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("An error of the code.")


urlpatterns = [path("trouble/", trouble), *urls.urlpatterns]


def values(metric: Any, suffix: str) -> dict[tuple[str, ...], float]:
    (family,) = metric.collect()
    samples = (sample for sample in family.samples if sample.name.endswith(suffix))
    return {tuple(sample.labels.values()): sample.value for sample in samples}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "labels"),
    [
        ("/healthz", ("health", "read", "2xx")),
        ("/trouble/", ("pages", "read", "5xx")),
        ("/nothing/", ("pages", "read", "4xx")),
        ("/static/nothing.css", ("static", "read", "4xx")),
        ("/v2/filing/institutions/X/filings/2024", ("filing", "read", "401")),
        ("/admin/", ("admin", "read", "3xx")),
        ("/metrics", ("health", "read", "4xx")),
    ],
)
def test_every_answer_counts_once_with_its_time(
    settings: Any, address: str, labels: tuple[str, ...]
) -> None:
    settings.ROOT_URLCONF = __name__
    counts, times = values(COUNTS, "_total"), values(SECONDS, "_count")
    Client(raise_request_exception=False).get(address)
    after, times_after = values(COUNTS, "_total"), values(SECONDS, "_count")
    assert {key: after[key] - counts[key] for key in after if after[key] != counts[key]} == {
        labels: 1
    }
    assert times_after[labels[:2]] == times[labels[:2]] + 1
