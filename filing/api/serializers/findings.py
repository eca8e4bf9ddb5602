"""Formatting errors and edits, and the difference that the rules of another year make."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from filing.api.serializers.filings import Links, StatusBody, SubmissionStatus
from filing.edits.rules_difference import EditDifference, RulesDifference
from filing.models import Submission


class ErrorMessage(serializers.Serializer[Any]):
    """One value with a formatting error, and the values that its field accepts."""

    fieldName = serializers.CharField(source="field")
    inputValue = serializers.CharField(source="value")
    validValues = serializers.CharField(source="accepts")


class RowErrors(serializers.Serializer[Any]):
    """The formatting errors of one line of the file; the transmittal sheet is line 1."""

    rowNumber = serializers.IntegerField(source="line")
    estimatedULI = serializers.CharField(source="estimated_uli")
    errorMessages = ErrorMessage(source="messages", many=True)


class ParseErrors(serializers.Serializer[Any]):
    """One page of formatting errors."""

    transmittalSheetErrors = RowErrors(many=True)
    larErrors = RowErrors(many=True)
    count = serializers.IntegerField()
    total = serializers.IntegerField(help_text="Lines with formatting errors.")
    status = StatusBody()
    _links = Links()


@extend_schema_serializer(component_name="Edit")
class EditBody(serializers.Serializer[Any]):
    """One edit that was triggered."""

    edit = serializers.CharField()
    description = serializers.CharField()
    transmittalSheet = serializers.BooleanField(source="transmittal_sheet")
    total = serializers.IntegerField(help_text="Records that triggered it.")


class EditList(serializers.Serializer[Any]):
    """The edits of one kind, sorted by code."""

    edits = EditBody(many=True)


class VerifiableEditList(EditList):
    """The edits of a kind that can be verified."""

    verified = serializers.BooleanField()


class VerifiableStatus(StatusBody):
    """The status, and which edits are verified."""

    qualityVerified = serializers.BooleanField()
    macroVerified = serializers.BooleanField()

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        return {
            **SubmissionStatus(instance).data,
            "qualityVerified": instance.quality_verified,
            "macroVerified": instance.macro_verified,
        }


class UnrunEdit(serializers.Serializer[Any]):
    """An edit that was not run, so that it neither passed nor failed."""

    edit = serializers.CharField(source="code")
    reason = serializers.CharField(
        source="not_run", help_text="What was missing, or why staff withdrew the edit."
    )


class Rulebook(serializers.Serializer[Any]):
    """The rules that the file is checked with."""

    year = serializers.IntegerField(help_text="The year whose rules are run.")
    provisional = serializers.BooleanField(
        help_text="Whether they stand in until rules of the data year are released."
    )

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        year = instance.rules_period.year
        return {"year": year, "provisional": year != instance.period.year}


class EditSummary(serializers.Serializer[Any]):
    """All edits of a submission, by kind, and those that were not run."""

    syntactical = EditList()
    validity = EditList()
    quality = VerifiableEditList()
    macro = VerifiableEditList()
    notRun = UnrunEdit(many=True)
    rulebook = Rulebook(
        allow_null=True, help_text="Null for a period that has no rules: nothing was checked."
    )
    status = VerifiableStatus()


class FieldValue(serializers.Serializer[Any]):
    """A field that the edit checks, with its value as filed."""

    name = serializers.CharField()
    value = serializers.CharField()

    def to_representation(self, instance: tuple[str, str]) -> dict[str, str]:
        name, value = instance
        return {"name": name, "value": value}


class EditRowBody(serializers.Serializer[Any]):
    """One record that triggered an edit."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return {
            "id": instance.id,
            "fields": FieldValue(instance.fields, many=True).data,
        }

    def get_fields(self) -> dict[str, Any]:
        # The framework also uses the name `fields`, so it cannot be an attribute of this class.
        text = "The ULI; the LEI for the transmittal sheet and the whole file."
        return {
            "id": serializers.CharField(help_text=text),
            "fields": FieldValue(many=True),
        }


class EditPage(serializers.Serializer[Any]):
    """One page of the records that triggered an edit, in file order."""

    edit = serializers.CharField()
    detail = serializers.CharField(help_text="The result of a macro edit, as a sentence.")
    notRun = serializers.CharField(
        allow_null=True,
        help_text="Why it was not run, so that it neither passed nor failed; null if it was.",
    )
    rows = EditRowBody(many=True)
    count = serializers.IntegerField()
    total = serializers.IntegerField()
    _links = Links()


class RulesOfYear(serializers.Serializer[Any]):
    """The rules of a data year."""

    year = serializers.IntegerField(help_text="The data year.")
    rulebook = serializers.IntegerField(help_text="The year whose released rules it runs.")
    provisional = serializers.BooleanField(help_text="Whether they are those of another year.")


class EditTotalBody(serializers.Serializer[Any]):
    """An edit with the rules of one year."""

    kind = serializers.CharField(
        source="kind.value", help_text="syntactical, validity, quality or macro."
    )
    total = serializers.IntegerField(help_text="Records that triggered it.")
    notRun = serializers.SerializerMethodField(
        help_text="Why it was not run, so that it neither passed nor failed; null if it was."
    )

    def get_notRun(self, edit: Any) -> str | None:  # noqa: N802
        return edit.reason or None


class EditDifferenceBody(serializers.Serializer[Any]):
    """An edit that the rules of the two years do not have in common."""

    edit = serializers.CharField(source="code")
    change = serializers.CharField(
        source="change.value",
        help_text=(
            "`new`: triggered only with the other rules. `gone`: only with the rules before. "
            "`changed`: with both, with another count or kind. `same`: with both, by as many "
            "records. `not-run`: not run with one of them."
        ),
    )
    description = serializers.CharField(source="text")
    before = serializers.SerializerMethodField(
        help_text="With the rules of the file; null if they have no such edit."
    )
    after = serializers.SerializerMethodField(
        help_text="With the other rules; null if they have no such edit."
    )

    @extend_schema_field(EditTotalBody(allow_null=True))
    def get_before(self, edit: EditDifference) -> dict[str, Any] | None:
        return EditTotalBody(edit.before).data if edit.before else None

    @extend_schema_field(EditTotalBody(allow_null=True))
    def get_after(self, edit: EditDifference) -> dict[str, Any] | None:
        return EditTotalBody(edit.after).data if edit.after else None


class RulesDifferenceBody(serializers.Serializer[Any]):
    """What the rules of another year find in a file, beside the results of its own."""

    rules = RulesOfYear(help_text="The rules that checked the file.")
    comparedWith = RulesOfYear()
    description = serializers.CharField(help_text="How the rules differ, as a sentence.")
    edits = EditDifferenceBody(many=True, help_text="Those triggered or not run, by code.")
    differing = serializers.IntegerField(help_text="Edits that are not the same in both rules.")
    unchanged = serializers.IntegerField(
        help_text="Edits that are the same in both rules, and so find the same."
    )

    def to_representation(self, instance: RulesDifference) -> dict[str, Any]:
        return super().to_representation(
            {
                "rules": _rules(instance.year, instance.rulebook),
                "comparedWith": _rules(instance.other_year, instance.other_rulebook),
                "description": str(instance),
                "edits": instance.listed,
                "differing": len(instance.edits),
                "unchanged": instance.unchanged,
            }
        )


def _rules(year: int, rulebook: int) -> dict[str, Any]:
    return {"year": year, "rulebook": rulebook, "provisional": year != rulebook}
