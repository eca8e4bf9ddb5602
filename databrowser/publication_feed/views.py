"""The public views of the publication history and of the files of each year.

Stored files of any size are answered with their hash, whole or in part.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header, quote_etag
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.models import Publication, Version
from databrowser.publication.builds import text_files, version_files
from databrowser.publication.builds.version_files import DownloadForm
from databrowser.publication.layout import LOANS, MANIFEST, TYPED, name_state_file
from databrowser.publication.versions import live_versions
from databrowser.publication_feed import openapi
from databrowser.publication_feed import serializers as shapes
from filing import requests, storage
from filing.api.public import PublicView
from filing.errors import NotFound
from filing.files import responses
from filing.requests import read_year

FEED = "/v2/public/publications"

FILES = {form.file: form.describes for form in version_files.FORMS.values()} | {
    MANIFEST: "the sources of the data set, with the size and hash of each file"
}
TEXT_TYPES = {"csv": "text/csv; charset=utf-8", "txt": "text/plain; charset=utf-8"}
_TYPES = TEXT_TYPES | {
    **{form.file.rpartition(".")[2]: form.content_type for form in version_files.FORMS.values()},
    "json": "application/json",
}
_PIECE = 1 << 18  # bytes
# One range of bytes (RFC 9110, 14.1.2); a request for several gets the whole file.
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


@dataclass(frozen=True)
class StoredFile:
    """A file of a version, which never changes. name: in its folder. saved: for saving it."""

    version: Version
    name: str
    saved: str

    @cached_property
    def _facts(self) -> dict[str, Any]:
        return find_facts(self.version, self.name)

    @property
    def size(self) -> int:
        """Its bytes."""
        return int(self._facts["bytes"])

    @property
    def sha256(self) -> str:
        return str(self._facts["sha256"])

    @property
    def content_type(self) -> str:
        return find_content_type(self.name)

    @property
    def stored(self) -> str:
        """Its name in storage."""
        return f"{self.version.folder}/{stored_name(self.version, self.name)}"

    @property
    def text_form(self) -> DownloadForm | None:
        """The format of a text file that is not stored, and is made again; else None."""
        forms = () if self.version.has_text_files else version_files.TEXTS
        return next((form for form in forms if form.file == self.name), None)


class Publications(PublicView):
    """The publication history, newest first."""

    @openapi.publications
    def get(self, request: Request) -> HttpResponseBase:
        entries = Publication.objects.select_related("version").defer("version__manifest")
        page = requests.select_page(request.query_params.get("page"), entries.count())
        rows = list(entries[page.rows])
        etag = quote_etag(f"{page.total}-{page.number}")
        answer = {
            "publications": rows,
            "count": len(rows),
            "total": page.total,
            "_links": page.links(FEED),
        }
        return responses.answer_conditionally(
            request, etag, lambda: Response(shapes.PublicationPage(answer).data)
        )


class PublicYearView(PublicView):
    """The published version of a year, and its files."""

    @openapi.public_year
    def get(self, request: Request, year: str) -> HttpResponseBase:
        version, since = _version(year, request)
        query = f"?version={version.name}" if request.query_params.get("version") else ""
        answer = {
            "version": version,
            "since": since,
            "files": list_public_files(version, is_live=not query),
            "states": list_state_files(version, f"{FEED}/{version.year}", query),
        }
        body = shapes.PublicYear(answer).data
        return responses.answer_json(request, body)


class PublicFileView(PublicView):
    """A file of the published version, whole or in part."""

    @openapi.public_file
    def get(self, request: Request, year: str, name: str) -> HttpResponseBase:
        if name not in FILES:
            raise NotFound(openapi.no_file(name[:40]))
        version, _ = _version(year, request)
        saved = f"public-lar-{version.name}.{name.partition('.')[2]}"
        return answer_stored_file(request._request, StoredFile(version, name, saved))


class PublicStateFileView(PublicView):
    """The records of one state in the published version, whole or in part."""

    @openapi.public_state_file
    def get(self, request: Request, year: str, state: str) -> HttpResponseBase:
        version, _ = _version(year, request)
        return answer_stored_file(request._request, find_state_file(version, state))


def list_public_files(version: Version, *, is_live: bool = True) -> list[dict[str, Any]]:
    """Return the files of a version to download: names, sizes, hashes and paths.

    is_live: the paths are those of the published version of the year, whichever it is.
    """
    query = "" if is_live else f"?version={version.name}"
    return list_files(version, f"{FEED}/{version.year}", FILES, query)


def list_files(
    version: Version, address: str, descriptions: Mapping[str, str], query: str = ""
) -> list[dict[str, Any]]:
    """Return some files of a version below an address. descriptions: by the name of each."""
    return [
        {
            "name": name,
            "describes": describes,
            **find_facts(version, name),
            "href": f"{address}/{name}{query}",
        }
        for name, describes in descriptions.items()
    ]


def list_state_files(version: Version, address: str, query: str = "") -> list[dict[str, Any]]:
    """Return the files with the records of each state, below an address of the version."""
    return [
        {
            "state": state,
            **find_facts(version, name_state_file(state)),
            "href": f"{address}/states/{state}.parquet{query}",
        }
        for state in _states(version)
    ]


def find_state_file(version: Version, state: str) -> StoredFile:
    """Return the file with the records of a state. Raises: NotFound."""
    states = _states(version)
    if state not in states:
        raise NotFound(openapi.no_state(state[:20], version.name, states))
    saved = f"public-lar-{version.name}-{state}.parquet"
    return StoredFile(version, name_state_file(state), saved)


def _states(version: Version) -> list[str]:
    """Return the states that a version has files of: of earlier releases none."""
    return list(version.manifest.get("typed", {}).get("states", ()))


def answer_stored_file(request: HttpRequest, file: StoredFile) -> HttpResponseBase:
    """Return the file, the requested part, or 304 if the caller already has it."""
    etag = quote_etag(file.sha256)
    return responses.answer_conditionally(
        request, etag, lambda: _whole_or_part(request, file, etag)
    )


def _version(year: str, request: Request) -> tuple[Version, datetime]:
    """Return the version that an address means, and since when it is public.

    That is the one that the parameter `version` names, else the published one of the year.
    Raises: NotFound; Gone.
    """
    number = read_year(year)
    if name := request.query_params.get("version"):
        if name.partition("-")[0] != year:
            raise NotFound(live_versions.no_version(name))
        outcome = live_versions.require_public_version(name)
        return outcome.version, outcome.published.at
    live = live_versions.live_version(number)
    if live is None:
        raise NotFound(openapi.no_year(year[:10]))
    return live.version, live.since


def find_content_type(name: str) -> str:
    """Return the content type of a public file, by the end of its name."""
    return _TYPES[name.rpartition(".")[2]]


def find_facts(version: Version, name: str) -> dict[str, Any]:
    """Return the size and the hash of a file of a version."""
    if name == MANIFEST:
        size = default_storage.size(f"{version.folder}/{name}")
        return {"bytes": size, "sha256": version.sha256}
    return dict(version.manifest["files"][stored_name(version, name)])


def stored_name(version: Version, name: str) -> str:
    """Return the name in storage of a public file. Earlier releases wrote no typed Parquet."""
    return TYPED if name == LOANS and "typed" in version.manifest else name


def _whole_or_part(request: HttpRequest, file: StoredFile, etag: str) -> HttpResponseBase:
    # A part is useless to a caller who has the beginning of another file.
    is_same = request.headers.get("If-Range", etag) == etag
    requested_range = _RANGE.fullmatch(request.headers.get("Range", "")) if is_same else None
    if requested_range is None or not any(requested_range.groups()):
        whole = _handed_over(request, file) or _streamed(request, file, 0, file.size, status=200)
        return _counted(whole, file.size)
    first, last = requested_range.groups()
    start = int(first) if first else max(0, file.size - int(last))
    stop = min(int(last) + 1, file.size) if first and last else file.size
    if start >= stop:
        refusal = HttpResponse(status=416)
        refusal["Content-Range"] = f"bytes */{file.size}"
        refusal["Accept-Ranges"] = "bytes"
        return refusal
    if response := _handed_over(request, file):
        return _counted(response, stop - start)  # the part is taken where the file is sent
    response = _streamed(request, file, start, stop, status=206)
    response["Content-Range"] = f"bytes {start}-{stop - 1}/{file.size}"
    return _counted(response, stop - start)


def _counted(response: HttpResponseBase, size: int) -> HttpResponseBase:
    """Return an answer that says to the limits how many bytes of a file it leads to."""
    response.file_bytes = size  # type: ignore[attr-defined]
    return response


def _handed_over(request: HttpRequest, file: StoredFile) -> HttpResponseBase | None:
    """Return the answer with which something else sends the file; None if we send it."""
    if file.text_form:
        return None
    response = responses.hand_over_file(
        request, file.stored, name=file.saved, content_type=file.content_type
    )
    if response is not None and response.status_code == 200:
        response["Repr-Digest"] = _digest(file)
    return response


def _streamed(
    request: HttpRequest, file: StoredFile, start: int, stop: int, *, status: int
) -> HttpResponseBase:
    pieces: Iterable[bytes]
    if request.method == "HEAD":
        pieces = ()
    elif form := file.text_form:
        pieces = text_files.remake_text_file(file.version, form, start, stop)
    else:
        pieces = _pieces(storage.open_local_copy(file.stored), start, stop)
    response = StreamingHttpResponse(pieces, status=status, content_type=file.content_type)
    response["Accept-Ranges"] = "bytes"
    response["Content-Length"] = str(stop - start)
    # The file is compressed already; compressing it again would lose its length.
    response["Content-Encoding"] = "identity"
    response["Content-Disposition"] = content_disposition_header(True, file.saved) or ""
    response["Repr-Digest"] = _digest(file)
    return response


def _digest(file: StoredFile) -> str:
    """Return the hash of the whole file as a header has it. Source: RFC 9530."""
    return f"sha-256=:{base64.b64encode(bytes.fromhex(file.sha256)).decode()}:"


def _pieces(path: Path, start: int, stop: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(start)
        remaining = stop - start
        while remaining > 0 and (piece := file.read(min(_PIECE, remaining))):
            remaining -= len(piece)
            yield piece
