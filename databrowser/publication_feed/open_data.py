"""What programs read about the published data sets: a catalogue of them, and their columns.

Source: DCAT-US Schema 1.1 (Project Open Data Metadata Schema), which federal catalogues collect as
`data.json`.
"""

from __future__ import annotations

from email.utils import parseaddr
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from databrowser.models import Dataset, LiveVersion, Version
from databrowser.publication import typed_files, variables
from databrowser.publication.versions import live_versions
from databrowser.publication_feed import data_sets, openapi, views
from filing.api.openapi import IF_NONE_MATCH, UNCHANGED, refused
from filing.api.public import PublicView
from filing.errors import NotFound
from filing.files import responses
from filing.lar.fields import AGENCY_NAMES
from filing.lar.years import Period
from filing.requests import read_year

_SCHEMA = "https://project-open-data.cio.gov/v1.1/schema"
_BUREAU = 9  # of the agencies of the transmittal sheet
_BUREAU_CODE, _PROGRAM_CODE = "581:00", "000:000"  # the latter: no program of its own
_LICENSE = "https://www.usa.gov/government-works"
_VARIABLES = "/v2/public/variables"
_DOWNLOADS = "/data/downloads/"
_FREQUENCIES = {Dataset.DYNAMIC.value: "R/P1W"}  # as builds come; ISO 8601
_KEYWORDS = ("HMDA", "mortgage", "home loans", "lending", "fair lending", "loan records")


class VariableShape(serializers.Serializer[Any]):
    """A column of the public loan records."""

    name = serializers.CharField(help_text="In Parquet and in the files of a year.")
    csvName = serializers.CharField(
        source="csv_name", help_text="In CSV files of the data browser."
    )
    type = serializers.CharField(help_text="The Arrow type in Parquet; a string has a dictionary.")
    description = serializers.CharField()
    codes = serializers.DictField(
        child=serializers.CharField(), help_text="The meaning of each code or value."
    )
    noteColumn = serializers.CharField(
        source="note_column",
        allow_blank=True,
        help_text="The column that says why there is no number; blank if there is none.",
    )
    notes = serializers.ListField(child=serializers.CharField(), help_text="Its values.")


class VariableList(serializers.Serializer[Any]):
    """The columns of the public loan records of a year, in order."""

    year = serializers.IntegerField()
    schemaVersion = serializers.IntegerField(
        help_text="Of the Parquet files: another one if a name, a type or a meaning changed."
    )
    variables = VariableShape(many=True)


class Variables(PublicView):
    """The columns of the public loan records of a year."""

    @extend_schema(
        summary="Read the variables of a year",
        tags=[openapi.TAG],
        auth=[],
        parameters=[IF_NONE_MATCH],
        responses={200: VariableList, 304: UNCHANGED, 404: refused(openapi.no_year("2017"))},
        description=(
            "Each column of the public loan records: its names, its type in Parquet, what it is, "
            "the meanings of its codes in that year, and what its note column may have."
        ),
    )
    def get(self, request: Request, year: str) -> HttpResponseBase:
        number = read_year(year)
        if live_versions.live_version(number) is None:
            raise NotFound(openapi.no_year(year[:10]))
        answer = {
            "year": number,
            "schemaVersion": typed_files.SCHEMA_VERSION,
            "variables": variables.list_variables(number),
        }
        body = VariableList(answer).data
        return responses.answer_json(request, body)


class DataCatalogue(PublicView):
    """The published data sets as a DCAT-US catalogue."""

    @extend_schema(
        summary="Read the catalogue of published data sets",
        tags=[openapi.TAG],
        auth=[],
        parameters=[IF_NONE_MATCH],
        responses={
            200: OpenApiResponse(OpenApiTypes.OBJECT, description="A catalogue of DCAT-US 1.1."),
            304: UNCHANGED,
        },
        description=(
            "Every published data set with its files, for catalogues that collect `data.json` "
            f"([DCAT-US 1.1]({_SCHEMA})). A distribution also has the `version` of its data set, "
            "the `bytes` and the `sha256` of the file."
        ),
    )
    def get(self, request: Request) -> HttpResponseBase:
        published = live_versions.published_data_sets().order_by("-year", "-rank")
        body = {
            "@context": f"{_SCHEMA}/catalog.jsonld",
            "@type": "dcat:Catalog",
            "conformsTo": _SCHEMA,
            "describedBy": f"{_SCHEMA}/catalog.json",
            "dataset": [_describe(live) for live in published],
        }
        return responses.answer_json(request, body)


def _describe(live: LiveVersion) -> dict[str, Any]:
    version, period = live.version, Period(live.year)
    made_up = "Some records are made up. " if version.is_demo else ""
    sender = settings.CONTACT_EMAIL or settings.DEFAULT_FROM_EMAIL
    described: dict[str, Any] = {
        "@type": "dcat:Dataset",
        "title": f"HMDA public loan records: {version.dataset_name}",
        "description": (
            f"{made_up}Loan applications and loans that institutions reported under the Home "
            f"Mortgage Disclosure Act for {live.year}: {version.rows:,} records of "
            f"{version.institutions:,} institutions, version {version.name}."
        ),
        "keyword": list(_KEYWORDS),
        "modified": live.since.isoformat(),
        "publisher": {"@type": "org:Organization", "name": AGENCY_NAMES[_BUREAU]},
        "contactPoint": {
            "@type": "vcard:Contact",
            "fn": "HMDA help desk",
            "hasEmail": f"mailto:{parseaddr(sender)[1]}",
        },
        "identifier": _absolute(live_versions.data_set_address(live.year, live.dataset)),
        "accessLevel": "public",
        "bureauCode": [_BUREAU_CODE],
        "programCode": [_PROGRAM_CODE],
        "license": _LICENSE,
        "spatial": "United States",
        "temporal": f"{period.starts.isoformat()}/{period.ends.isoformat()}",
        "accrualPeriodicity": _FREQUENCIES.get(live.dataset, "irregular"),
        "landingPage": _absolute(_DOWNLOADS),
        "describedBy": _absolute(f"{_VARIABLES}/{live.year}"),
        "describedByType": "application/json",
        "distribution": [
            _distribution(version, file)
            for file in data_sets.list_files(version, version.permanent_address)
        ],
    }
    return described


def _distribution(version: Version, file: dict[str, Any]) -> dict[str, Any]:
    name = file["name"]
    return {
        "@type": "dcat:Distribution",
        "title": name,
        "description": file["describes"],
        "downloadURL": _absolute(file["href"]),
        "mediaType": views.find_content_type(name).partition(";")[0],
        "format": name.partition(".")[2],
        "version": version.name,
        "bytes": file["bytes"],
        "sha256": file["sha256"],
    }


def _absolute(address: str) -> str:
    return urljoin(settings.PUBLIC_URL, address)
