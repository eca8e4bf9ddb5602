"""The published data sets of all years, the frozen ones too, and their files.

With their JSON shapes and OpenAPI descriptions. A vintage is frozen at the end of a day: what is
signed later is not in it.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from databrowser.models import Dataset, LiveVersion, Version
from databrowser.publication.builds.tables import TABLE_FILES
from databrowser.publication.layout import MANIFEST
from databrowser.publication.versions import live_versions
from databrowser.publication_feed import openapi, views
from databrowser.publication_feed.serializers import PERMANENT, PublicFile, StateFile
from databrowser.publication_feed.views import StoredFile
from filing.api.openapi import IF_NONE_MATCH, UNCHANGED, refused
from filing.api.public import PublicView
from filing.errors import NotFound
from filing.files import responses
from filing.requests import read_year

_FILES = views.FILES | TABLE_FILES
_NO_YEAR = "The 2017 snapshot is not published."
NO_FILE = (
    "There is no file loans.xlsx; /v2/public/datasets/{year}/{dataset} lists the files of a data "
    "set."
)
FILE_ANSWERS = openapi.FILE_ANSWERS | {
    (200, kind.partition(";")[0]): str for kind in views.TEXT_TYPES.values()
}


class PublishedDataSet(serializers.Serializer[Any]):
    """A published data set of a year."""

    year = serializers.IntegerField()
    dataset = serializers.ChoiceField(Dataset.choices)
    frozenOn = serializers.DateField(
        source="version.frozen_on", allow_null=True, help_text="Null of the dynamic data set."
    )
    version = serializers.CharField(source="version.name")
    rows = serializers.IntegerField(source="version.rows")
    institutions = serializers.IntegerField(source="version.institutions")
    sha256 = serializers.CharField(source="version.sha256", help_text="The hash of the manifest.")
    permanent = serializers.CharField(source="version.permanent_address", help_text=PERMANENT)
    href = serializers.SerializerMethodField()

    def get_href(self, live: LiveVersion) -> str:
        return live_versions.data_set_address(live.year, live.dataset)


class PublishedDataSets(serializers.Serializer[Any]):
    """The published data sets, newest year first."""

    datasets = PublishedDataSet(many=True)


class PublishedDataSetFiles(PublishedDataSet):
    """A published data set of a year, with its files."""

    since = serializers.DateTimeField(help_text="In UTC.")
    files = PublicFile(many=True, source="public_files")
    states = StateFile(many=True, source="state_files")


class DataSets(PublicView):
    """The published data sets of all years."""

    @extend_schema(
        summary="List the published data sets",
        tags=[openapi.TAG],
        auth=[],
        parameters=[IF_NONE_MATCH],
        responses={200: PublishedDataSets, 304: UNCHANGED},
        description=(
            "The published data sets of each year, newest year first. `dynamic` moves while "
            "institutions file; `snapshot`, `one-year` and `three-year` have of each institution "
            "what it signed last by the end of the day `frozenOn`. The first one of a year is what "
            "the data browser shows."
        ),
    )
    def get(self, request: Request) -> HttpResponseBase:
        published = live_versions.published_data_sets().order_by("-year", "-rank")
        body = PublishedDataSets({"datasets": published.defer("version__manifest")}).data
        return responses.answer_json(request, body)


class DataSet(PublicView):
    """A published data set of a year, with its files."""

    @extend_schema(
        summary="Read what is public of a data set",
        tags=[openapi.TAG],
        auth=[],
        parameters=[IF_NONE_MATCH],
        responses={200: PublishedDataSetFiles, 304: UNCHANGED, 404: refused(_NO_YEAR)},
        description="The published version of a data set, its files, their sizes and hashes.",
    )
    def get(self, request: Request, year: str, dataset: str) -> HttpResponseBase:
        live: Any = _require_live(year, dataset)
        address = live_versions.data_set_address(live.year, live.dataset)
        live.public_files = list_files(live.version, address)
        live.state_files = views.list_state_files(live.version, address)
        body = PublishedDataSetFiles(live).data
        return responses.answer_json(request, body)


class DataSetFile(PublicView):
    """A file of a published data set, whole or in part."""

    @extend_schema(
        summary="Download a file of a data set",
        tags=[openapi.TAG],
        auth=[],
        parameters=[IF_NONE_MATCH, openapi.RANGE],
        responses={
            **FILE_ANSWERS,
            404: refused(_NO_YEAR, NO_FILE),
        },
        description=(
            "All records (`loans.csv.gz`, `loans.txt.gz`, `loans.parquet`), the transmittal sheets "
            "(`sheets.csv`), the institutions of the panel and whether they filed "
            "(`institutions.csv`), the MSA/MDs of the records (`msamds.csv`), the last three also "
            "pipe-delimited (`.txt`) and as Parquet (`.parquet`), and the sources with all hashes "
            "(`manifest.json`)."
        ),
    )
    def get(self, request: Request, year: str, dataset: str, name: str) -> HttpResponseBase:
        file = require_file(_require_live(year, dataset).version, name)
        return views.answer_stored_file(request._request, file)


class DataSetStateFile(PublicView):
    """The records of one state in a published data set, whole or in part."""

    @extend_schema(
        summary="Download the records of a state of a data set",
        tags=[openapi.TAG],
        auth=[],
        parameters=[IF_NONE_MATCH, openapi.RANGE],
        responses={**openapi.PARQUET_ANSWERS, 404: refused(_NO_YEAR, openapi.NO_STATE)},
        description=openapi.OF_STATE,
    )
    def get(self, request: Request, year: str, dataset: str, state: str) -> HttpResponseBase:
        version = _require_live(year, dataset).version
        return views.answer_stored_file(request._request, views.find_state_file(version, state))


def list_files(version: Version, address: str) -> list[dict[str, Any]]:
    """Return the files of a version: names, sizes, hashes and paths. address: of the version."""
    described = {name: _FILES[name] for name in _file_names(version)}
    return views.list_files(version, address, described)


def require_file(version: Version, name: str) -> StoredFile:
    """Return a public file of a version. Raises: NotFound."""
    if name not in _file_names(version):
        raise NotFound(NO_FILE.replace("loans.xlsx", name[:40]))
    saved = f"{version.year}-{version.dataset}-{version.number}-{name}"
    return StoredFile(version, name, saved)


def _file_names(version: Version) -> list[str]:
    """Return the names of the public files of a version: earlier releases wrote fewer."""
    return [name for name in _FILES if name == MANIFEST or name in version.manifest["files"]]


def _require_live(year: str, dataset: str) -> LiveVersion:
    """Return the published version of the data set of an address. Raises: NotFound."""
    if dataset not in Dataset.values:
        raise NotFound(f"There is no data set {dataset[:20]}: {', '.join(Dataset.values)}.")
    live = live_versions.live_version(read_year(year), dataset)
    if live is None:
        raise NotFound(f"The {year[:10]} {Dataset(dataset).label} is not published.")
    return live
