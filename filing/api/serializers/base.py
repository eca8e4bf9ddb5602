"""Parts of many responses: times, errors, links, statuses."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.access import fields
from filing.access.fields import Readers
from filing.models import Submission
from filing.statuses import Status


class Milliseconds(serializers.Field[Any, Any, Any, Any]):
    """A time as whole milliseconds since 1970-01-01 UTC; 0 while it is unset."""

    def __init__(self, **options: Any) -> None:
        # One that may be left out is not read-only, or the document would require it.
        super().__init__(read_only="required" not in options, **options)

    def get_attribute(self, instance: Any) -> Any:
        # A missing relation (no signature yet) is an unset time, not an error. None would become
        # null before to_representation is called.
        try:
            return super().get_attribute(instance) or 0
        except (AttributeError, serializers.SkipField):
            return 0

    def to_representation(self, value: datetime | int) -> int:
        return int(value.timestamp() * 1000 + 0.5) if isinstance(value, datetime) else 0


extend_schema_field({"type": "integer", "format": "int64", "example": 1741000100000})(Milliseconds)


class Readable(serializers.Serializer[Any]):
    """A shape of a row, in which the fields that its reader may not read are blank."""

    reader = Readers.FILERS

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return super().to_representation(fields.as_read_by(self.reader, instance))


@extend_schema_field({"type": "string"})
class Text(serializers.Field[str, Any, Any, Any]):
    """A text exactly as it was sent, blanks included; the reader of the field validates it."""

    default_error_messages = {"invalid": "This must be a text, in quotes."}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        # A lone half of a surrogate pair is not a character, and no text column stores it.
        return data.encode(errors="replace").decode()

    def to_representation(self, value: Any) -> Any:
        return value


REQUEST_ID = "The id of the request, for the help desk; also in the header `X-Request-ID`."


class ErrorBody(serializers.Serializer[Any]):
    """The body of every refusal."""

    httpStatus = serializers.IntegerField()  # noqa: N815 -- outside name
    message = serializers.CharField()
    detail = serializers.CharField(
        required=False, help_text="What follows a message that programs match, for people."
    )
    path = serializers.CharField(help_text="The path without its prefix; empty for a bad token.")
    requestId = serializers.CharField(help_text=REQUEST_ID)  # noqa: N815


class Links(serializers.Serializer[Any]):
    """Links to other pages: `href` with `{rel}` replaced by one of the other values."""

    href = serializers.CharField()
    first = serializers.CharField()
    prev = serializers.CharField()
    next = serializers.CharField()
    last = serializers.CharField()

    def get_fields(self) -> dict[str, Any]:
        # `self` cannot be written as an attribute of this class.
        fields = super().get_fields()
        return {"href": fields.pop("href"), "self": serializers.CharField(), **fields}


class StatusBody(serializers.Serializer[Any]):
    """A status code with its message and description."""

    code = serializers.IntegerField()
    message = serializers.CharField()
    description = serializers.CharField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        status = Status(instance)
        return {
            "code": status.value,
            "message": status.message,
            "description": status.description(signing=settings.SIGNING_ENABLED),
        }


# Statuses whose description ends with `failure`: why a submission failed, or the common cause of
# all its formatting errors.
_EXPLAINED = (Status.FAILED, Status.PARSED_WITH_ERRORS)


class SubmissionStatus(StatusBody):
    """The status of a submission; for one that stopped, with the reason."""

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        body = super().to_representation(instance.status)
        if instance.failure and instance.status in _EXPLAINED:
            body["description"] = f"{body['description']} {instance.failure}"
        return body
