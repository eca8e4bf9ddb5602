"""The difference that the rules of another year make to a file."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.edits.rules_difference import EditDifference, RulesDifference


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
    notRun = serializers.SerializerMethodField(  # noqa: N815
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
    comparedWith = RulesOfYear()  # noqa: N815
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
