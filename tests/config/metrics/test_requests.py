"""Counts of requests: by area, method and class of status, whatever a caller sends."""

from __future__ import annotations

import pytest

from config.metrics import requests
from config.metrics.requests import COUNTS, SECONDS


def counted() -> dict[tuple[str, ...], float]:
    (family,) = COUNTS.collect()
    return {tuple(each.labels.values()): each.value for each in family.samples}


@pytest.mark.parametrize(
    ("method", "path", "status", "labels"),
    [
        ("GET", "/help/", 200, ("pages", "read", "2xx")),
        ("HEAD", "/help/", 304, ("pages", "read", "3xx")),
        ("POST", "/v2/filing/institutions/X", 401, ("filing", "write", "401")),
        ("DELETE", "/v2/filing/institutions/X", 404, ("filing", "write", "4xx")),
        ("GET", "/data/browser/", 503, ("data-browser", "read", "503")),
        ("GET", "/data/browser/", 429, ("data-browser", "read", "429")),
        ("GET", "/admin/", 500, ("admin", "read", "5xx")),
        ("BREW", "/" + "x" * 5000, 418, ("pages", "write", "4xx")),
        ("", "", 799, ("pages", "write", "5xx")),
    ],
)
def test_a_request_counts_once(
    method: str, path: str, status: int, labels: tuple[str, ...]
) -> None:
    before = counted()
    requests.count(method, path, status, 0.2)
    after = counted()
    assert {key for key in after if after[key] != before[key]} == {labels}
    assert after[labels] == before[labels] + 1


def test_no_request_adds_a_series() -> None:
    (before,) = SECONDS.collect()
    requests.count("GET", "/v2/filing/institutions/529900TESTBANK000042", 200, 0.2)
    (after,) = SECONDS.collect()
    assert len(after.samples) == len(before.samples)
