"""The permanent address of each version that was ever published, and of its files.

With their JSON shapes and OpenAPI descriptions. A version keeps its address for as long as the site
does, whatever replaced it. Only what staff withdrew is not answered, but with the reason.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from databrowser.models import Change, Publication
from databrowser.publication.versions import live_versions
from databrowser.publication.versions.live_versions import VersionOutcome
from databrowser.publication_feed import data_sets, openapi, views
from databrowser.publication_feed.serializers import PERMANENT, PublicYear
from databrowser.publication_feed.views import StoredFile
from filing.api.openapi import IF_NONE_MATCH, UNCHANGED, refused
from filing.api.public import PublicView
from filing.errors import NotFound
from filing.files import responses

_FOR_GOOD = "public, max-age=31536000, immutable"  # a year, which caches take for ever


class Replacement(serializers.Serializer[Any]):
    """The version that took the place of another one, and when."""

    version = serializers.CharField(source="version.name")
    what = serializers.ChoiceField(Publication.What.choices)
    at = serializers.DateTimeField(help_text="In UTC.")
    reason = serializers.CharField(allow_blank=True)
    permanent = serializers.CharField(source="version.permanent_address", help_text=PERMANENT)


class CorrectionOfVersion(serializers.Serializer[Any]):
    """A correction that names a version as wrong."""

    date = serializers.DateField()
    title = serializers.CharField()
    href = serializers.SerializerMethodField(help_text="The entry in the list of changes.")

    def get_href(self, change: Change) -> str:
        return f"{reverse('data-changes')}#{change.slug}"


class PermanentVersion(PublicYear):
    """A version that was published once, its files, and what became of it."""

    isPublished = serializers.BooleanField(
        help_text="Whether it is the published version of its data set now."
    )
    replacedBy = Replacement(allow_null=True)
    corrections = CorrectionOfVersion(many=True)


class PermanentVersionView(PublicView):
    """A version that was published once."""

    @extend_schema(
        summary="Read a version at its permanent address",
        tags=[openapi.TAG],
        auth=[],
        parameters=[IF_NONE_MATCH],
        responses={
            200: PermanentVersion,
            304: UNCHANGED,
            404: refused(live_versions.no_version("2022-7")),
            410: openapi.WITHDRAWN,
        },
        description=(
            "A version has its name and the first 12 digits of the SHA-256 of its manifest as its "
            "address, and keeps it and the bytes of its files for good. The answer says whether it "
            "is published now, which version replaced it, and which corrections name it."
        ),
    )
    def get(self, request: Request, version: str) -> HttpResponseBase:
        outcome = require_version(version)
        replaced = outcome.replaced
        answer = {
            "version": outcome.version,
            "since": outcome.published.at,
            "files": data_sets.list_files(outcome.version, outcome.version.permanent_address),
            "states": views.list_state_files(outcome.version, outcome.version.permanent_address),
            "isPublished": replaced is None,
            "replacedBy": replaced,
            "corrections": Change.objects.filter(wrong_version=outcome.version),
        }
        body = PermanentVersion(answer).data
        return responses.answer_json(request, body)


class PermanentFileView(PublicView):
    """A file of a version that was published once, whole or in part."""

    @extend_schema(
        summary="Download a file of a version from its permanent address",
        tags=[openapi.TAG],
        auth=[],
        parameters=[IF_NONE_MATCH, openapi.RANGE],
        responses={
            **data_sets.FILE_ANSWERS,
            404: refused(live_versions.no_version("2022-7"), data_sets.NO_FILE),
            410: openapi.WITHDRAWN,
        },
        description="The same bytes whenever you ask; caches may keep them.",
    )
    def get(self, request: Request, version: str, name: str) -> HttpResponseBase:
        file = data_sets.require_file(require_version(version).version, name)
        return _answer_for_good(request, file)


class PermanentStateFileView(PublicView):
    """The records of one state in a version that was published once, whole or in part."""

    @extend_schema(
        summary="Download the records of a state of a version from its permanent address",
        tags=[openapi.TAG],
        auth=[],
        parameters=[IF_NONE_MATCH, openapi.RANGE],
        responses={
            **openapi.PARQUET_ANSWERS,
            404: refused(live_versions.no_version("2022-7"), openapi.NO_STATE),
            410: openapi.WITHDRAWN,
        },
        description=openapi.OF_STATE,
    )
    def get(self, request: Request, version: str, state: str) -> HttpResponseBase:
        file = views.find_state_file(require_version(version).version, state)
        return _answer_for_good(request, file)


def _answer_for_good(request: Request, file: StoredFile) -> HttpResponseBase:
    response = views.answer_stored_file(request._request, file)
    if response.status_code in (200, 206, 304):  # not a redirect, which expires
        response["Cache-Control"] = _FOR_GOOD
    return response


def require_version(address: str) -> VersionOutcome:
    """Return what became of the version of an address. Raises: NotFound, Gone."""
    outcome = live_versions.require_public_version(address.rpartition("-")[0])
    right = outcome.version.permanent_address
    if not right.endswith(f"/{address}"):
        raise NotFound(f"The address of version {outcome.version.name} is {right}.")
    return outcome
