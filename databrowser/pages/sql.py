"""The page for own SQL over the records of a state, which runs in the reader's browser.

The service sends files and never sees a query. The query runs in a worker, whose answer has a
policy of its own: it alone may compile WebAssembly, and may fetch from this site alone, or from the
bucket that this site sends callers to. The page itself keeps the policy of all pages.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.views.generic import View

from databrowser.models import Version
from databrowser.pages.sql_examples import EXAMPLES, INSTITUTIONS
from databrowser.publication import variables
from databrowser.publication.versions import live_versions
from databrowser.publication_feed import data_sets, views
from filing.errors import Refusal
from filing.files.responses import PRESIGNED
from filing.lar.years import describe_unsettled
from filing.requests import describe_unknown_parameters

_PARAMETERS = ("version", "state")


class SqlPage(View):
    """The page: the query, the tables it may read, examples, and addresses for other programs."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        context: dict[str, Any] = {
            "unknown_parameters": describe_unknown_parameters(request.GET, _PARAMETERS)
        }
        status = 200
        try:
            context |= _choices(request.GET.get("version", ""), request.GET.get("state", ""))
        except Refusal as refusal:
            context |= _choices("", "") | {"refusal": refusal}
            status = refusal.status
        return render(request, "databrowser/sql.html", context, status=status)


def _choices(name: str, state: str) -> dict[str, Any]:
    """Return what the page shows of a version and a state; by default of the first ones.

    Raises: NotFound, Gone.
    """
    published = live_versions.published_versions().order_by("-year")
    versions = [live.version for live in published if _has_states(live.version)]
    if name:
        version = live_versions.require_public_version(name).version
        versions += [] if version in versions or not _has_states(version) else [version]
    elif versions:
        version = versions[0]
    else:
        return {"versions": []}
    state = state.upper()
    if state or not _has_states(version):
        views.find_state_file(version, state)
    address = version.permanent_address
    states = views.list_state_files(version, address)
    chosen = next((each for each in states if each["state"] == state), states[0])
    tables = [{"name": "loans", "url": chosen["href"], "bytes": chosen["bytes"]}]
    tables += [
        {"name": INSTITUTIONS, "url": file["href"], "bytes": file["bytes"]}
        for file in data_sets.list_files(version, address)
        if file["name"] == f"{INSTITUTIONS}.parquet"
    ]
    has_names = len(tables) > 1
    return {
        "versions": versions,
        "version": version,
        "states": states,
        "chosen": chosen,
        "tables": tables,
        "has_names": has_names,
        "examples": [each for each in EXAMPLES if has_names or not each.has_names],
        "variables": variables.list_variables(version.year),
        "file": f"{settings.PUBLIC_URL}{chosen['href']}",
        "demo_years": [version.year] if version.is_demo else [],
        "notices": describe_unsettled([version.year]),
    }


def _has_states(version: Version) -> bool:
    return bool(version.manifest.get("typed", {}).get("states"))


class SqlWorker(View):
    """The script that a worker of the page begins with."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        engine = static("databrowser/sql-engine.js")
        response = HttpResponse(
            f'import "{engine}";\n', content_type="text/javascript; charset=utf-8"
        )
        response._csp_config = {  # type: ignore[attr-defined]
            "default-src": [NONE],
            "script-src": [SELF, "'wasm-unsafe-eval'"],
            "connect-src": [SELF, *_buckets()],
        }
        return response


def _buckets() -> list[str]:
    """Return the origin of the bucket to which requests for files are redirected, if any."""
    if settings.DOWNLOADS != PRESIGNED or isinstance(default_storage, FileSystemStorage):
        return []
    parts = urlsplit(default_storage.url("loans.parquet"))
    return [f"{parts.scheme}://{parts.netloc}"]
