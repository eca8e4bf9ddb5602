"""The JSON shapes of the publication history and of the files of a year."""

from __future__ import annotations

from rest_framework import serializers

from databrowser.models import Dataset, Publication
from filing.api.serializers.filings import Links

PERMANENT = "The address that the version keeps for good."


class PublicationEntry(serializers.Serializer):
    """One entry of the publication history."""

    year = serializers.IntegerField()
    dataset = serializers.CharField(source="version.dataset")
    version = serializers.CharField(source="version.name")
    what = serializers.ChoiceField(Publication.What.choices)
    at = serializers.DateTimeField(help_text="In UTC.")
    reason = serializers.CharField(allow_blank=True)
    rows = serializers.IntegerField(source="version.rows")
    institutions = serializers.IntegerField(source="version.institutions")
    sha256 = serializers.CharField(source="version.sha256", help_text="The hash of the manifest.")
    permanent = serializers.CharField(source="version.permanent_address", help_text=PERMANENT)


class PublicationPage(serializers.Serializer):
    """A page of the publication history, newest first."""

    publications = PublicationEntry(many=True)
    count = serializers.IntegerField(help_text="Number of entries on this page.")
    total = serializers.IntegerField()
    _links = Links()


class PublicFile(serializers.Serializer):
    """A file of a year to download."""

    name = serializers.CharField()
    describes = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    href = serializers.CharField()


class StateFile(serializers.Serializer):
    """The typed records of a state to download."""

    state = serializers.CharField(
        help_text="As in the records; `NA`, or `blank` in imported files, is no state."
    )
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    href = serializers.CharField()


class PublicYear(serializers.Serializer):
    """A version of a data set of a year and its files."""

    year = serializers.IntegerField(source="version.year")
    dataset = serializers.ChoiceField(Dataset.choices, source="version.dataset")
    frozenOn = serializers.DateField(
        source="version.frozen_on", allow_null=True, help_text="Null of the dynamic data set."
    )
    version = serializers.CharField(source="version.name")
    since = serializers.DateTimeField(help_text="In UTC.")
    rows = serializers.IntegerField(source="version.rows")
    institutions = serializers.IntegerField(source="version.institutions")
    sha256 = serializers.CharField(source="version.sha256", help_text="The hash of the manifest.")
    permanent = serializers.CharField(source="version.permanent_address", help_text=PERMANENT)
    files = PublicFile(many=True)
    states = StateFile(many=True)
