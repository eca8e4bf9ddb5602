"""JSON shapes of the public checks and of the edits reference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from filing.api.serializers import RowErrors
from filing.edits import catalogue
from filing.edits.edit import Edit
from filing.edits.reading import fields_read


class EditPeriods(serializers.Serializer[Any]):
    """The data years in which an edit runs as it stands here."""

    annual = serializers.ListField(child=serializers.IntegerField())
    quarterly = serializers.ListField(child=serializers.IntegerField())


class EditField(serializers.Serializer[Any]):
    """A field that the edit shows to the filer, or that its rule reads."""

    name = serializers.CharField(
        help_text="The name of the column. `ts.lei` is the LEI of the transmittal sheet, where a "
        "rule compares loans with it."
    )

    def get_fields(self) -> dict[str, Any]:
        # `label` is also a name of the framework's, so it cannot be an attribute of this class.
        text = "The name in the Filing Instructions Guide."
        return {**super().get_fields(), "label": serializers.CharField(help_text=text)}


@extend_schema_serializer(component_name="EditEntry")
class EditEntryBody(serializers.Serializer[Any]):
    """One edit as it stands in some periods; a rule that changed has an entry for each form."""

    edit = serializers.CharField()
    kind = serializers.ChoiceField(["syntactical", "validity", "quality", "macro"])
    level = serializers.ChoiceField(
        ["ts", "lar", "file"], help_text="What it looks at: sheet, one loan, or the whole file."
    )
    description = serializers.CharField(help_text="What is asked of a correct record.")
    rule = serializers.CharField(help_text="The very condition that is checked, in words.")
    affectedFields = EditField(  # noqa: N815
        many=True, help_text="The fields that the bureau lists: details and downloads show these."
    )
    fieldsRead = EditField(  # noqa: N815
        many=True, help_text="The fields that the rule reads, which may be others."
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
    """Entries of the book, by kind and code."""

    edits = EditEntryBody(many=True)
    total = serializers.IntegerField()


class Finding(serializers.Serializer[Any]):
    """One edit that one row fails."""

    uli = serializers.CharField(help_text="For the transmittal sheet the LEI.")
    editName = serializers.CharField()  # noqa: N815
    editDescription = serializers.CharField()  # noqa: N815

    def get_fields(self) -> dict[str, Any]:
        # `fields` is also a name of the framework's, so it cannot be an attribute of this class.
        values = serializers.DictField(
            child=serializers.CharField(), help_text="The values as filed, by label."
        )
        return {**super().get_fields(), "fields": values}


class ParsedFile(serializers.Serializer[Any]):
    """The lines of a file that cannot be read."""

    validated = RowErrors(many=True)


class FileFindings(serializers.Serializer[Any]):
    """All that was found in a file; rows without findings are absent."""

    parserErrors = RowErrors(many=True)  # noqa: N815
    validationErrors = serializers.ListField(child=Finding(many=True))  # noqa: N815
