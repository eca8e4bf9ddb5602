"""What is public and since when, and the files of a year, for anyone."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpResponseBase
from django.utils.http import quote_etag
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.models import LiveVersion, Publication, Version
from databrowser.publication.builds import downloads
from databrowser.publication.layout import MANIFEST
from databrowser.publications import openapi, stored_files
from databrowser.publications import serializers as shapes
from filing.api.public import PublicView
from filing.errors import NotFound
from filing.files import conditional
from filing.requests import pagination

_FEED = "/v2/public/publications"


class Publications(PublicView):
    """The feed of changes, newest first."""

    @openapi.publications
    def get(self, request: Request) -> HttpResponseBase:
        entries = Publication.objects.select_related("version").defer("version__manifest")
        page = pagination.page(request.query_params.get("page"), entries.count())
        shown = list(entries[page.rows])
        etag = quote_etag(f"{page.total}-{page.number}")
        answer = {
            "publications": shown,
            "count": len(shown),
            "total": page.total,
            "_links": page.links(_FEED),
        }
        return conditional.answered(
            request, etag, lambda: Response(shapes.PublicationPage(answer).data)
        )


class PublicYear(PublicView):
    """The version of a year that readers get, and its files."""

    @openapi.public_year
    def get(self, request: Request, year: str) -> HttpResponseBase:
        live = _live(year)
        version = live.version
        answer = {
            "year": version.year,
            "version": version.name,
            "since": live.since,
            "rows": version.rows,
            "institutions": version.institutions,
            "sha256": version.sha256,
            "files": files(version),
        }
        etag = quote_etag(f"{version.sha256}-{live.since.timestamp()}")
        return conditional.answered(request, etag, lambda: Response(shapes.PublicYear(answer).data))


class PublicFile(PublicView):
    """A file of the version that readers get, whole or a part of it."""

    @openapi.public_file
    def get(self, request: Request, year: str, name: str) -> HttpResponseBase:
        if name not in _FILES:
            raise NotFound(openapi.no_file(name[:40]))
        version = _live(year).version
        found = stored_files.StoredFile(
            stored=f"{version.folder}/{name}",
            name=f"public-lar-{version.name}.{name.partition('.')[2]}",
            content_type=_TYPES.get(name, "application/json"),
            size=cast(int, _facts(version, name)["bytes"]),
            sha256=cast(str, _facts(version, name)["sha256"]),
        )
        return stored_files.answer(request._request, found)


_FILES = {form.file: form.describes for form in downloads.FORMS.values()} | {
    MANIFEST: "what the others are made of, with their sizes and hashes"
}
_TYPES = {form.file: form.content_type for form in downloads.FORMS.values()}


def files(version: Version) -> list[dict[str, Any]]:
    """Return what there is to download of a version: names, sizes, hashes and paths."""
    return [
        {
            "name": name,
            "describes": describes,
            **_facts(version, name),
            "href": f"{_FEED}/{version.year}/{name}",
        }
        for name, describes in _FILES.items()
    ]


def _live(year: str) -> LiveVersion:
    """Return what is live of a year, as it stands in an address.

    Raises: NotFound.
    """
    wanted = int(year) if year.isdecimal() and len(year) == 4 else 0
    live = LiveVersion.objects.select_related("version").filter(year=wanted).first()
    if live is None:
        raise NotFound(openapi.no_year(year[:10]))
    return live


def _facts(version: Version, name: str) -> dict[str, Any]:
    if name == MANIFEST:
        return {"bytes": stored_files.size(f"{version.folder}/{name}"), "sha256": version.sha256}
    return dict(version.manifest["files"][name])
