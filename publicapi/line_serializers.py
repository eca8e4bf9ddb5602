"""The JSON shapes of one line: as sent, as parsed, and the edits it triggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from filing.api.serializers import Text
from filing.lar.fields import INTEGERS, LAR, TRANSMITTAL_SHEET, Field, Parse
from publicapi.serializers import AboutRules


class SheetLine(serializers.Serializer[Any]):
    """A transmittal sheet as a line of a file."""

    ts = Text(help_text="15 pipe-delimited fields.")


class LoanLine(serializers.Serializer[Any]):
    """A loan as a line of a file."""

    lar = Text(help_text="110 pipe-delimited fields.")


class FailedEdit(serializers.Serializer[Any]):
    """An edit that the line triggers."""

    edit = serializers.CharField()
    description = serializers.CharField(help_text="What a correct record must meet.")


class FailedEdits(serializers.Serializer[Any]):
    """The triggered edits of one kind, by code."""

    def get_fields(self) -> dict[str, Any]:
        # The framework also uses the name `errors`, so it cannot be an attribute of this class.
        return {**super().get_fields(), "errors": FailedEdit(many=True)}


class LineFindings(AboutRules):
    """The edits that the line triggers; three empty lists if there are none."""

    syntactical = FailedEdits()
    validity = FailedEdits()
    quality = FailedEdits()


def _parsed(name: str, fields: Sequence[Field]) -> serializers.Serializer[Any]:
    """Return the shape that `to_nested` gives records with these fields."""
    places: dict[str, Any] = {}
    for field in fields:
        *sections, key = field.json.split(".")
        place = places
        for section in sections:
            place = place.setdefault(section, {})
        place[key] = _value(field)
    return _section(name, places)


def _section(name: str, places: Mapping[str, Any]) -> serializers.Serializer[Any]:
    fields = {
        key: _section(name + key[0].upper() + key[1:], place) if isinstance(place, dict) else place
        for key, place in places.items()
    }
    return inline_serializer(name, fields)


def _value(field: Field) -> serializers.Field[Any, Any, Any, Any]:
    if field.parse in INTEGERS:
        return serializers.IntegerField(help_text=field.label)
    if field.parse is Parse.DECIMAL:
        return serializers.FloatField(help_text=field.label)
    return serializers.CharField(help_text=field.label)


PARSED_SHEET = _parsed("ParsedTransmittalSheet", TRANSMITTAL_SHEET)
PARSED_LOAN = _parsed("ParsedLoan", LAR)
