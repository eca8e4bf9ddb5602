"""Filings and submissions."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.access import fields
from filing.api.serializers.base import Links, Milliseconds, Readable, SubmissionStatus
from filing.models import Signature, Submission
from filing.statuses import FilingStatus


class PeriodObject(serializers.Serializer[Any]):
    """A filing period as year and quarter; `quarter` is null for an annual one."""

    year = serializers.CharField()
    quarter = serializers.CharField(allow_null=True)


class SummaryId(serializers.Serializer[Any]):
    """The identifier of a submission, with the period as year and quarter."""

    lei = serializers.CharField()
    period = PeriodObject()
    sequenceNumber = serializers.IntegerField(source="sequence_number")  # noqa: N815

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        period = instance.period
        return {
            "lei": instance.lei,
            "period": {"year": str(period.year), "quarter": period.quarter_name or None},
            "sequenceNumber": instance.sequence_number,
        }


class SubmissionId(SummaryId):
    """The identifier of a submission; the period is the year, or an object for a quarter."""

    period = serializers.SerializerMethodField()  # type: ignore[assignment]

    @extend_schema_field(
        {
            "oneOf": [
                {"type": "string", "example": "2024"},
                {
                    "type": "object",
                    "properties": {"year": {"type": "string"}, "quarter": {"type": "string"}},
                    "example": {"year": "2024", "quarter": "Q1"},
                },
            ]
        }
    )
    def get_period(self, instance: Submission) -> Any:
        period = instance.period
        if not period.is_quarterly:
            return str(period.year)
        return {"year": str(period.year), "quarter": period.quarter_name}

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        return {**super().to_representation(instance), "period": self.get_period(instance)}


class SubmissionBody(Readable):
    """One submission."""

    id = SubmissionId(source="*")
    status = SubmissionStatus(source="*")
    start = Milliseconds(source="created_at")
    end = Milliseconds(source="signature.signed_at")
    fileName = serializers.CharField(source="file_name")  # noqa: N815
    receipt = serializers.SerializerMethodField()

    discardedAt = Milliseconds(  # noqa: N815
        source="discarded_at", required=False, help_text="Only of a submission that was discarded."
    )

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        body: dict[str, Any] = super().to_representation(instance)
        if not instance.discarded_at:
            del body["discardedAt"]
        return body

    def get_receipt(self, submission: Submission) -> str:
        return self.signed(submission).receipt

    def signed(self, submission: Submission) -> Signature:
        """Return the signature as its reader may read it; a blank one before it is signed."""
        signature = getattr(submission, "signature", None)
        return fields.as_read_by(self.reader, signature) if signature else Signature()


class ProgressBody(serializers.Serializer[Any]):
    """The progress of the current stage."""

    stage = serializers.CharField()
    rowsDone = serializers.IntegerField(source="rows_done")  # noqa: N815
    rowsTotal = serializers.IntegerField(source="rows_total")  # noqa: N815


class SubmissionState(SubmissionBody):
    """One submission with the edits to verify, and the progress of a running stage."""

    qualityVerified = serializers.BooleanField(source="quality_verified")  # noqa: N815
    macroVerified = serializers.BooleanField(source="macro_verified")  # noqa: N815
    qualityExists = serializers.BooleanField(source="quality_exists")  # noqa: N815
    macroExists = serializers.BooleanField(source="macro_exists")  # noqa: N815
    signerUsername = serializers.SerializerMethodField()  # noqa: N815
    progress = serializers.SerializerMethodField(
        help_text="Records done in the current stage; null while no worker runs it."
    )  # filled in by the view: it is not part of the submission
    replacedBy = serializers.CharField(  # noqa: N815
        required=False,
        help_text="The receipt number of the submission that replaced it; left out if none did.",
    )

    @extend_schema_field({"type": "string", "nullable": True})
    def get_signerUsername(self, submission: Submission) -> str | None:  # noqa: N802
        return self.signed(submission).signer_username if hasattr(submission, "signature") else None

    @extend_schema_field(ProgressBody(allow_null=True))
    def get_progress(self, submission: Submission) -> dict[str, Any] | None:
        return None


class FilingStatusBody(serializers.Serializer[Any]):
    """The status of a filing: 1 not-started, 2 in-progress, 3 completed, -1 cancelled."""

    code = serializers.IntegerField()
    message = serializers.CharField()

    def to_representation(self, instance: int) -> dict[str, Any]:
        status = FilingStatus(instance)
        return {"code": status.value, "message": status.message}


class FilingObject(Readable):
    """One filing."""

    period = serializers.CharField()
    lei = serializers.CharField(source="institution.lei")
    status = FilingStatusBody()
    filingRequired = serializers.BooleanField(source="required")  # noqa: N815
    start = Milliseconds(source="started_at")
    end = Milliseconds(source="completed_at")


class FilingBody(serializers.Serializer[Any]):
    """A filing with its submissions, newest first."""

    filing = FilingObject()
    submissions = SubmissionBody(many=True)


class FilingPage(FilingBody):
    """A filing with one page of its submissions."""

    count = serializers.IntegerField(required=False)
    total = serializers.IntegerField(required=False)
    _links = Links(required=False)


class SubmissionPage(serializers.Serializer[Any]):
    """One page of the submissions of a filing, newest first."""

    submissions = SubmissionBody(many=True)
    count = serializers.IntegerField()
    total = serializers.IntegerField()
    _links = Links()
