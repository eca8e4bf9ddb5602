"""Answers monitoring: `/metrics`, off unless a token or the networks of scrapers are set."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from hmac import compare_digest
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry

from config.backends import caches  # noqa: F401 -- its counters
from config.health import readiness
from config.health.live_checks import wait_for_look
from config.metrics import catalogue, counters, requests, virus_scans  # noqa: F401 -- their counters
from config.metrics.readings import DEADLINE_SECONDS, KEPT_SECONDS, READINGS

PATH = "/metrics"


def is_on() -> bool:
    """Return whether this site lets anyone read its metrics."""
    return bool(settings.METRICS_TOKEN or settings.METRICS_ADDRESSES)


@never_cache
@require_safe
def answer(request: HttpRequest) -> HttpResponse:
    """Answer with all metrics; 404 to other networks, 401 to a wrong token."""
    if settings.METRICS_ADDRESSES and not _is_from_scraper(request):
        return HttpResponse("There is nothing at this address.\n", "text/plain", status=404)
    if settings.METRICS_TOKEN and not _has_token(request):
        refusal = HttpResponse("The token is missing or wrong.\n", "text/plain", status=401)
        refusal["WWW-Authenticate"] = "Bearer"
        return refusal
    write, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(write(REGISTRY), content_type)


class Metrics(Collector):
    """Collects all metrics."""

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics, those of the database only while it answers."""
        until = time.monotonic() + DEADLINE_SECONDS
        reading = READINGS.current(kept_seconds=KEPT_SECONDS)
        yield from _of_machine()
        yield from counters.families()
        families = wait_for_look(reading, until=until, late=None)
        yield catalogue.DATABASE_UP.family(int(families is not None))
        yield from families or ()


def _of_machine() -> Iterator[Metric]:
    version = catalogue.BUILD.family()
    version.add_metric((settings.VERSION,), 1)
    yield version
    disk = shutil.disk_usage(settings.DATA_DIR)
    yield catalogue.DATA_FREE.family(disk.free)
    yield catalogue.DATA_SIZE.family(disk.total)
    parts = catalogue.READY.family()
    for part, fault in readiness.find_faults().items():
        parts.add_metric((part,), int(not fault))
    yield parts


def _is_from_scraper(request: HttpRequest) -> bool:
    """Return whether a scraper called the process itself.

    A call that a proxy passed on has the address of the proxy, which may be in the same network.
    """
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        peer = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    address = getattr(peer, "ipv4_mapped", None) or peer
    return any(address in network for network in settings.METRICS_ADDRESSES)


def _has_token(request: HttpRequest) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    is_same = compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    return is_same and scheme.lower() == "bearer"


REGISTRY = CollectorRegistry(auto_describe=False)
REGISTRY.register(Metrics())
