"""Counts every request by its area of the site, and answers monitoring at `/metrics`.

Monitoring is off unless a token or the networks of scrapers are set. Virus scans are counted here
as well, by their result.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from hmac import compare_digest
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry
from rest_framework.permissions import SAFE_METHODS

from config.backends import caches  # noqa: F401 -- its counters
from config.health import readiness
from config.health.live_checks import wait_for_look
from config.metrics import catalogue, counters
from config.metrics.catalogue import REQUEST_SECONDS, REQUESTS, SCANS
from config.metrics.counters import make_counter, make_histogram
from config.metrics.readings import DEADLINE_SECONDS, KEPT_SECONDS, READINGS
from config.requests.middleware import Handler
from filing import scanning

METRICS_PATH = "/metrics"
# By the first one, two or three parts of a path; the longest that fits counts.
_BEGINNINGS = {
    "filing": ("/filing", "/v2/filing"),
    "public": ("/v2/public", "/edits"),
    "data-browser": (
        "/data",
        "/v2/data-browser-api",
        "/v2/reporting",
        "/v2/public/modifiedLAR",
        "/v2/public/publications",
        "/v2/public/reports",
        "/file",
        "/reports",
    ),
    "graphs": ("/data/graphs", "/quarterly-data"),
    "tools": ("/tools", "/v2/public/uli", "/public"),
    "identity": (
        "/hmda-auth",
        "/realms",
        "/sign-in",
        "/sign-out",
        "/sign-up",
        "/forgotten",
        "/second-factor",
        "/admin/login",
        "/admin/logout",
    ),
    "admin": ("/admin",),
    "health": ("/healthz", "/readyz", "/metrics", "/v2/data-browser-api/health"),
    "static": ("/static",),
}
PAGES_AREA = "pages"  # everything else
SITE_AREAS = (*_BEGINNINGS, PAGES_AREA)
_AREA_OF = {start: area for area, starts in _BEGINNINGS.items() for start in starts}
_OF_HEALTH = "/v2/filing/"  # the older health check: the address itself, and nothing below it

# Statuses by their class; on their own those that say something else than the rest of it.
STATUSES = ("1xx", "2xx", "3xx", "4xx", "401", "403", "429", "5xx", "503")
METHODS = ("read", "write")
_STATUS_OF = {
    code: str(code) if str(code) in STATUSES else f"{code // 100}xx" for code in range(100, 600)
}

REQUEST_COUNTS = make_counter(REQUESTS, SITE_AREAS, METHODS, STATUSES)
REQUEST_DURATIONS = make_histogram(REQUEST_SECONDS, SITE_AREAS, METHODS)
SCAN_COUNTS = make_counter(SCANS, scanning.SCAN_RESULTS)

scanning.count_scans_by(lambda result: SCAN_COUNTS.labels(result).inc())


def measure_requests(get_response: Handler) -> Handler:
    """Count requests. Those of monitoring are answered here, before the host name is checked."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        started_at = time.perf_counter()
        is_scrape = request.path_info == METRICS_PATH and is_scraping_enabled()
        response = answer_scrape(request) if is_scrape else get_response(request)
        seconds = time.perf_counter() - started_at
        count_request(request.method or "", request.path_info, response.status_code, seconds)
        return response

    return respond


def site_area(path: str) -> str:
    """Return the area of a path, whether or not there is anything at this address."""
    if path == _OF_HEALTH:
        return "health"
    parts = path.split("/", 4)
    for length in (4, 3, 2):
        if area := _AREA_OF.get("/".join(parts[:length])):
            return area
    return PAGES_AREA


def count_request(method: str, path: str, status: int, seconds: float) -> None:
    """Count a request that was answered."""
    area, group = site_area(path), "read" if method in SAFE_METHODS else "write"
    REQUEST_COUNTS.labels(area, group, _STATUS_OF.get(status, "5xx")).inc()
    REQUEST_DURATIONS.labels(area, group).observe(seconds)


def is_scraping_enabled() -> bool:
    """Return whether this site lets anyone read its metrics."""
    return bool(settings.METRICS_TOKEN or settings.METRICS_ADDRESSES)


@never_cache
@require_safe
def answer_scrape(request: HttpRequest) -> HttpResponse:
    """Answer with all metrics; 404 to other networks, 401 to a wrong token."""
    if settings.METRICS_ADDRESSES and not _is_from_scraper(request):
        return HttpResponse("There is nothing at this address.\n", "text/plain", status=404)
    if settings.METRICS_TOKEN and not _has_token(request):
        refusal = HttpResponse("The token is missing or wrong.\n", "text/plain", status=401)
        refusal["WWW-Authenticate"] = "Bearer"
        return refusal
    write, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(write(REGISTRY), content_type)


class MetricsCollector(Collector):
    """Collects all metrics."""

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics, those of the database only while it answers."""
        until = time.monotonic() + DEADLINE_SECONDS
        reading = READINGS.current(kept_seconds=KEPT_SECONDS)
        yield from _of_machine()
        yield from counters.process_metrics()
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
REGISTRY.register(MetricsCollector())
