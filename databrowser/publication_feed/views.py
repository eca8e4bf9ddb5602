"""The public views of the publication history and of the files of each year."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from django.http import HttpResponseBase
from django.utils.http import quote_etag
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.models import Publication, Version
from databrowser.publication.builds import download_files
from databrowser.publication.layout import MANIFEST
from databrowser.publication.versions import live_versions
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
        version, since = _version(year, request)
        answer = {
            "year": version.year,
            "version": version.name,
            "since": since,
            "rows": version.rows,
            "institutions": version.institutions,
            "sha256": version.sha256,
            "files": files(version, is_live=not request.query_params.get("version")),
        }
        etag = quote_etag(f"{version.sha256}-{since.timestamp()}")
        return conditional.answered(request, etag, lambda: Response(shapes.PublicYear(answer).data))


class PublicFile(PublicView):
    """A file of the published version, whole or in part."""

    @openapi.public_file
    def get(self, request: Request, year: str, name: str) -> HttpResponseBase:
        if name not in _FILES:
            raise NotFound(openapi.no_file(name[:40]))
        version, _ = _version(year, request)
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


def files(version: Version, *, is_live: bool = True) -> list[dict[str, Any]]:
    """Return the files of a version to download: names, sizes, hashes and paths.

    is_live: the paths are those of the published version of the year, whichever it is.
    """
    query = "" if is_live else f"?version={version.name}"
    return [
        {
            "name": name,
            "describes": describes,
            **_facts(version, name),
            "href": f"{_FEED}/{version.year}/{name}{query}",
        }
        for name, describes in _FILES.items()
    ]


def _version(year: str, request: Request) -> tuple[Version, datetime]:
    """Return the version that an address means, and since when it is public.

    That is the one that the parameter `version` names, else the published one of the year.
    Raises: NotFound.
    """
    number = int(year) if year.isdecimal() and len(year) == 4 else 0
    live = live_versions.live_of(number)
    if live is None:
        raise NotFound(openapi.no_year(year[:10]))
    name = request.query_params.get("version")
    if not name or name == live.version.name:
        return live.version, live.since
    version = live_versions.public_version(number, name)
    if version is None:
        raise NotFound(openapi.no_version(name[:20], live.version.name))
    entry = version.publications.exclude(what=Publication.What.WITHDRAWN).first()
    return version, entry.at if entry else live.since


def _facts(version: Version, name: str) -> dict[str, Any]:
    if name == MANIFEST:
        return {"bytes": stored_files.size(f"{version.folder}/{name}"), "sha256": version.sha256}
    return dict(version.manifest["files"][name])
