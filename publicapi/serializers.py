"""The JSON shapes of the public checks and of the edits reference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from filing.api.serializers.findings import RowErrors, UnrunEdit
from filing.edits import catalogue
from filing.edits.edit import Edit
from filing.edits.read_fields import fields_read
from publicapi import checks

OPEN_YEAR = "Left out for a year that can be filed and runs rules of its own."


class RulebookInUse(serializers.Serializer[Any]):
    """The rules of a data year that is in beta, or runs the rules of an earlier year."""

    year = serializers.IntegerField(help_text="The year whose rules are run.")
    provisional = serializers.BooleanField(
        help_text="Whether they stand in until rules of the data year are released."
    )
    beta = serializers.BooleanField(
        help_text="Whether files of the data year can be checked, but not filed yet."
    )


class EditsNotRun(serializers.Serializer[Any]):
    """Edits that did not run for one reason: none of them is a passed rule."""

    reason = serializers.CharField()
    edits = serializers.ListField(child=serializers.CharField())


class RulebookOfYear(RulebookInUse):
    """The same, with the data year."""

    dataYear = serializers.IntegerField()


class AboutRules(serializers.Serializer[Any]):
    """What an answer says about the rules, if there is something to say."""

    notRun = UnrunEdit(
        many=True,
        required=False,
        help_text="Edits that neither passed nor failed; left out if all were run.",
    )
    rulebook = RulebookInUse(required=False, help_text=OPEN_YEAR)


class EditWithdrawn(serializers.Serializer[Any]):
    """A year in which the edit is not run, as it was found wrong."""

    year = serializers.IntegerField()
    since = serializers.DateField()
    reason = serializers.CharField()


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
    affectedFields = EditField(
        many=True, help_text="The fields the bureau lists, which edit details and downloads show."
    )
    fieldsRead = EditField(many=True, help_text="The fields the rule reads, which may differ.")
    periods = EditPeriods()
    withdrawn = EditWithdrawn(
        many=True, required=False, help_text="Left out if the edit is run in all these years."
    )

    def to_representation(self, instance: Edit) -> dict[str, Any]:
        periods = instance.filing_periods()
        withdrawals = [
            {"year": year, "since": each.since.isoformat(), "reason": each.reason}
            for year, each in checks.find_withdrawals(instance).items()
        ]
        entry = {
            "edit": instance.code,
            "kind": instance.kind.value,
            "level": instance.level.value,
            "description": instance.text,
            "rule": instance.rule,
            "affectedFields": _fields(instance, instance.fields),
            "fieldsRead": _fields(instance, fields_read(instance)),
            "periods": {
                "annual": sorted(periods.annual),
                "quarterly": sorted(periods.quarterly),
            },
        }
        return entry | ({"withdrawn": withdrawals} if withdrawals else {})


def _fields(edit: Edit, names: Iterable[str]) -> list[dict[str, str]]:
    return [{"name": name, "label": catalogue.label_field(edit, name)} for name in names]


class EditBook(serializers.Serializer[Any]):
    """Entries of the edits reference, by kind and code."""

    edits = EditEntryBody(many=True)
    total = serializers.IntegerField()
    rulebooks = RulebookOfYear(
        many=True,
        required=False,
        help_text="Years in beta, and years that run the rules of an earlier one; left out if "
        "there are none among those of the answer.",
    )


class Finding(serializers.Serializer[Any]):
    """One edit that a record triggers."""

    uli = serializers.CharField(help_text="The LEI for the transmittal sheet.")
    editName = serializers.CharField()
    editDescription = serializers.CharField()

    def get_fields(self) -> dict[str, Any]:
        # The framework also uses the name `fields`, so it cannot be an attribute of this class.
        values = serializers.DictField(
            child=serializers.CharField(), help_text="The values as filed, by label."
        )
        return {**super().get_fields(), "fields": values}


class ParsedFile(serializers.Serializer[Any]):
    """The lines of a file with formatting errors."""

    validated = RowErrors(many=True)


class FileFindings(AboutRules):
    """The findings in a file; records without findings are left out."""

    parserErrors = RowErrors(many=True)
    validationErrors = serializers.ListField(child=Finding(many=True))
