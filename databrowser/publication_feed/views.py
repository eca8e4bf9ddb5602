"""The public views of the publication history and of the files of each year."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpResponseBase
from django.utils.http import quote_etag
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.models import LiveVersion, Publication, Version
from databrowser.publication.builds import download_files
from databrowser.publication.layout import MANIFEST
from databrowser.publication_feed import openapi, stored_files
from databrowser.publication_feed import serializers as shapes
from filing.api.public import PublicView
from filing.errors import NotFound
from filing.files import conditional
from filing.requests import pagination

_FEED = "/v2/public/publications"


class Publications(PublicView):
    """The publication history, newest first."""

    @openapi.publications
    def get(self, request: Request) -> HttpResponseBase:
        entries = Publication.objects.select_related("version").defer("version__manifest")
        page = pagination.page(request.query_params.get("page"), entries.count())
        rows = list(entries[page.rows])
        etag = quote_etag(f"{page.total}-{page.number}")
        answer = {
            "publications": rows,
            "count": len(rows),
            "total": page.total,
            "_links": page.links(_FEED),
        }
        return conditional.answered(
            request, etag, lambda: Response(shapes.PublicationPage(answer).data)
        )


class PublicYear(PublicView):
    """The published version of a year, and its files."""

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
    """A file of the published version, whole or in part."""

    @openapi.public_file
    def get(self, request: Request, year: str, name: str) -> HttpResponseBase:
        if name not in _FILES:
            raise NotFound(openapi.no_file(name[:40]))
        version = _live(year).version
        file = stored_files.StoredFile(
            stored=f"{version.folder}/{name}",
            name=f"public-lar-{version.name}.{name.partition('.')[2]}",
            content_type=_TYPES.get(name, "application/json"),
            size=cast(int, _facts(version, name)["bytes"]),
            sha256=cast(str, _facts(version, name)["sha256"]),
        )
        return stored_files.answer(request._request, file)


_FILES = {form.file: form.describes for form in download_files.FORMS.values()} | {
    MANIFEST: "the sources of the data set, with the size and hash of each file"
}
_TYPES = {form.file: form.content_type for form in download_files.FORMS.values()}


def files(version: Version) -> list[dict[str, Any]]:
    """Return the files of a version to download: names, sizes, hashes and paths."""
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
    """Return the published version of a year given in an address.

    Raises: NotFound.
    """
    number = int(year) if year.isdecimal() and len(year) == 4 else 0
    live = LiveVersion.objects.select_related("version").filter(year=number).first()
    if live is None:
        raise NotFound(openapi.no_year(year[:10]))
    return live


def _facts(version: Version, name: str) -> dict[str, Any]:
    if name == MANIFEST:
        return {"bytes": stored_files.size(f"{version.folder}/{name}"), "sha256": version.sha256}
    return dict(version.manifest["files"][name])
