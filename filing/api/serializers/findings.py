"""Format errors and edits."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from filing.api.serializers.base import Links, StatusBody, SubmissionStatus
from filing.models import Submission


class ErrorMessage(serializers.Serializer[Any]):
    """One value that cannot be read, and what its column accepts."""

    fieldName = serializers.CharField(source="field")  # noqa: N815
    inputValue = serializers.CharField(source="value")  # noqa: N815
    validValues = serializers.CharField(source="accepts")  # noqa: N815


class RowErrors(serializers.Serializer[Any]):
    """The format errors of one line of the file; the transmittal sheet is line 1."""

    rowNumber = serializers.IntegerField(source="line")  # noqa: N815
    estimatedULI = serializers.CharField(source="estimated_uli")  # noqa: N815
    errorMessages = ErrorMessage(source="messages", many=True)  # noqa: N815


class ParseErrors(serializers.Serializer[Any]):
    """One page of format errors."""

    transmittalSheetErrors = RowErrors(many=True)  # noqa: N815
    larErrors = RowErrors(many=True)  # noqa: N815
    count = serializers.IntegerField()
    total = serializers.IntegerField(help_text="Lines with errors.")
    status = StatusBody()
    _links = Links()


@extend_schema_serializer(component_name="Edit")
class EditBody(serializers.Serializer[Any]):
    """One edit that fired."""

    edit = serializers.CharField()
    description = serializers.CharField()
    transmittalSheet = serializers.BooleanField(source="transmittal_sheet")  # noqa: N815
    total = serializers.IntegerField(help_text="Rows it found.")


class EditList(serializers.Serializer[Any]):
    """The edits of one kind, sorted by code."""

    edits = EditBody(many=True)


class VerifiableEditList(EditList):
    """The edits of a kind that can be verified."""

    verified = serializers.BooleanField()


class VerifiableStatus(StatusBody):
    """The status with what has been verified."""

    qualityVerified = serializers.BooleanField()  # noqa: N815
    macroVerified = serializers.BooleanField()  # noqa: N815

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        return {
            **SubmissionStatus(instance).data,
            "qualityVerified": instance.quality_verified,
            "macroVerified": instance.macro_verified,
        }


class EditSummary(serializers.Serializer[Any]):
    """All edits of a submission, by kind."""

    syntactical = EditList()
    validity = EditList()
    quality = VerifiableEditList()
    macro = VerifiableEditList()
    status = VerifiableStatus()


class FieldValue(serializers.Serializer[Any]):
    """A field that the edit looks at, with the value as filed."""

    name = serializers.CharField()
    value = serializers.CharField()

    def to_representation(self, instance: tuple[str, str]) -> dict[str, str]:
        name, value = instance
        return {"name": name, "value": value}


class EditRowBody(serializers.Serializer[Any]):
    """One record an edit found."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return {
            "id": instance.id,
            "fields": FieldValue(instance.fields, many=True).data,
        }

    def get_fields(self) -> dict[str, Any]:
        # `fields` is also a name of the framework's, so it cannot be an attribute of this class.
        text = "The ULI; for the transmittal sheet and the file the LEI."
        return {
            "id": serializers.CharField(help_text=text),
            "fields": FieldValue(many=True),
        }


class EditPage(serializers.Serializer[Any]):
    """One page of the records an edit found, in file order."""

    edit = serializers.CharField()
    detail = serializers.CharField(help_text="What a macro edit computed, in a sentence.")
    rows = EditRowBody(many=True)
    count = serializers.IntegerField()
    total = serializers.IntegerField()
    _links = Links()
