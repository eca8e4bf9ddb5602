"""The JSON shapes of the data dictionary."""

from __future__ import annotations

from rest_framework import serializers


class PublicColumn(serializers.Serializer):
    """One column of the public loan records."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    browserName = serializers.CharField(source="in_browser")
    modifiedLarName = serializers.CharField(
        source="in_modified", allow_blank=True, help_text="Blank if it is not in the modified LAR."
    )
    field = serializers.CharField(
        allow_blank=True, help_text="The LAR field; blank for a derived column."
    )
    published = serializers.CharField(help_text="How it is published.")


class DataDictionary(serializers.Serializer):
    """All columns of the public loan records, in order."""

    columns = PublicColumn(many=True)
