"""The JSON shapes of the public checks and of the edits reference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from filing.api.serializers import RowErrors
from filing.edits import catalogue
from filing.edits.edit import Edit
from filing.edits.read_fields import fields_read


class EditPeriods(serializers.Serializer[Any]):
    """The data years in which this version of an edit runs."""

    annual = serializers.ListField(child=serializers.IntegerField())
    quarterly = serializers.ListField(child=serializers.IntegerField())


class EditField(serializers.Serializer[Any]):
    """A field that the edit lists, or that its rule reads."""

    name = serializers.CharField(
        help_text="The name of the column. `ts.lei` is the LEI of the transmittal sheet, if a "
        "rule compares records with it."
    )

    def get_fields(self) -> dict[str, Any]:
        # The framework also uses the name `label`, so it cannot be an attribute of this class.
        text = "The name in the Filing Instructions Guide."
        return {**super().get_fields(), "label": serializers.CharField(help_text=text)}


@extend_schema_serializer(component_name="EditEntry")
class EditEntryBody(serializers.Serializer[Any]):
    """One version of an edit; a rule that changed has an entry for each version."""

    edit = serializers.CharField()
    kind = serializers.ChoiceField(["syntactical", "validity", "quality", "macro"])
    level = serializers.ChoiceField(
        ["ts", "lar", "file"],
        help_text="What it checks: the transmittal sheet, one record, or the whole file.",
    )
    description = serializers.CharField(help_text="What a correct record must meet.")
    rule = serializers.CharField(help_text="The exact condition that is checked, in words.")
    affectedFields = EditField(  # noqa: N815
        many=True, help_text="The fields the bureau lists, which edit details and downloads show."
    )
    fieldsRead = EditField(  # noqa: N815
        many=True, help_text="The fields the rule reads, which may differ."
    )
    periods = EditPeriods()

    def to_representation(self, instance: Edit) -> dict[str, Any]:
        return {
            "edit": instance.code,
            "kind": instance.kind.value,
            "level": instance.level.value,
            "description": instance.text,
            "rule": instance.rule,
            "affectedFields": _fields(instance, instance.fields),
            "fieldsRead": _fields(instance, fields_read(instance)),
            "periods": {
                "annual": sorted(instance.annual),
                "quarterly": sorted(instance.quarterly),
            },
        }


def _fields(edit: Edit, names: Iterable[str]) -> list[dict[str, str]]:
    return [{"name": name, "label": catalogue.label(edit, name)} for name in names]


class EditBook(serializers.Serializer[Any]):
    """Entries of the edits reference, by kind and code."""

    edits = EditEntryBody(many=True)
    total = serializers.IntegerField()


class Finding(serializers.Serializer[Any]):
    """One edit that a record triggers."""

    uli = serializers.CharField(help_text="The LEI for the transmittal sheet.")
    editName = serializers.CharField()  # noqa: N815
    editDescription = serializers.CharField()  # noqa: N815

    def get_fields(self) -> dict[str, Any]:
        # The framework also uses the name `fields`, so it cannot be an attribute of this class.
        values = serializers.DictField(
            child=serializers.CharField(), help_text="The values as filed, by label."
        )
        return {**super().get_fields(), "fields": values}


class ParsedFile(serializers.Serializer[Any]):
    """The lines of a file with formatting errors."""

    validated = RowErrors(many=True)


class FileFindings(serializers.Serializer[Any]):
    """The findings in a file; records without findings are left out."""

    parserErrors = RowErrors(many=True)  # noqa: N815
    validationErrors = serializers.ListField(child=Finding(many=True))  # noqa: N815
