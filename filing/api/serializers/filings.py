"""Institutions, filings and submissions, with parts of many responses: times, errors, links."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.access import Right, fields
from filing.access.fields import Readers
from filing.models import Filing, Institution, Signature, Submission
from filing.periods import duties
from filing.statuses import FilingStatus, Status

REQUEST_ID = "The id of the request, for the help desk; also in the header `X-Request-ID`."
# Statuses whose description ends with `failure`: why a submission failed, or the common cause of
# all its formatting errors.
_EXPLAINED = (Status.FAILED, Status.PARSED_WITH_ERRORS)


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


class RightsOfCaller(serializers.Serializer[Any]):
    """What the owner of the token may do for an institution in a filing period."""

    lei = serializers.CharField()
    period = serializers.CharField(help_text="Such as `2024`, or `2024-Q1`.")
    rights = serializers.ListField(
        child=serializers.ChoiceField([right.value for right in Right]),
        help_text="`read`, `prepare`: create, upload, review, verify, discard; `sign`; `manage`: "
        "people, delegations and the institution's record; `connect`: webhooks.",
    )
    limits = serializers.CharField(
        help_text="Why it cannot prepare or sign, and what to do; blank if it can do both."
    )


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


class ErrorBody(serializers.Serializer[Any]):
    """The body of every refusal."""

    httpStatus = serializers.IntegerField()
    message = serializers.CharField()
    detail = serializers.CharField(
        required=False, help_text="What follows a message that programs match, for people."
    )
    path = serializers.CharField(help_text="The path without its prefix; empty for a bad token.")
    requestId = serializers.CharField(help_text=REQUEST_ID)


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


class SubmissionStatus(StatusBody):
    """The status of a submission; for one that stopped, with the reason."""

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        body = super().to_representation(instance.status)
        if instance.failure and instance.status in _EXPLAINED:
            body["description"] = f"{body['description']} {instance.failure}"
        return body


class PeriodObject(serializers.Serializer[Any]):
    """A filing period as year and quarter; `quarter` is null for an annual one."""

    year = serializers.CharField()
    quarter = serializers.CharField(allow_null=True)


class SummaryId(serializers.Serializer[Any]):
    """The identifier of a submission, with the period as year and quarter."""

    lei = serializers.CharField()
    period = PeriodObject()
    sequenceNumber = serializers.IntegerField(source="sequence_number")

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
    fileName = serializers.CharField(source="file_name")
    receipt = serializers.SerializerMethodField()

    discardedAt = Milliseconds(
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
    rowsDone = serializers.IntegerField(source="rows_done")
    rowsTotal = serializers.IntegerField(source="rows_total")


class SubmissionState(SubmissionBody):
    """One submission with the edits to verify, and the progress of a running stage."""

    qualityVerified = serializers.BooleanField(source="quality_verified")
    macroVerified = serializers.BooleanField(source="macro_verified")
    qualityExists = serializers.BooleanField(source="quality_exists")
    macroExists = serializers.BooleanField(source="macro_exists")
    signerUsername = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField(
        help_text="Records done in the current stage; null while no worker runs it."
    )  # filled in by the view: it is not part of the submission
    replacedBy = serializers.CharField(
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
    filingRequired = serializers.SerializerMethodField()
    start = Milliseconds(source="started_at")
    end = Milliseconds(source="completed_at")

    def get_filingRequired(self, filing: Filing) -> bool:  # noqa: N802
        return duties.find_reason_not_owed(filing) is None


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


class Named(serializers.Serializer[Any]):
    """A parent company or top holder of the institution."""

    idRssd = serializers.IntegerField()
    name = serializers.CharField()


class Respondent(serializers.Serializer[Any]):
    """The name and location of the institution."""

    name = serializers.CharField()
    state = serializers.CharField()
    city = serializers.CharField()


class InstitutionBody(Readable):
    """An institution in the panel of a year."""

    activityYear = serializers.IntegerField(source="activity_year")
    lei = serializers.CharField()
    agency = serializers.IntegerField()
    institutionType = serializers.CharField(source="institution_type")
    institutionId2017 = serializers.CharField(source="institution_id_2017")
    taxId = serializers.CharField(source="tax_id")
    rssd = serializers.IntegerField()
    emailDomains = serializers.ListField(child=serializers.CharField(), source="email_domains")
    respondent = Respondent(source="*")
    parent = serializers.SerializerMethodField()  # type: ignore[assignment]
    assets = serializers.IntegerField()
    otherLenderCode = serializers.IntegerField(source="other_lender_code")
    topHolder = serializers.SerializerMethodField()
    hmdaFiler = serializers.BooleanField(source="hmda_filer")
    quarterlyFiler = serializers.BooleanField(source="quarterly_filer")
    quarterlyFilerHasFiledQ1 = serializers.BooleanField(source="quarterly_filer_has_filed_q1")
    quarterlyFilerHasFiledQ2 = serializers.BooleanField(source="quarterly_filer_has_filed_q2")
    quarterlyFilerHasFiledQ3 = serializers.BooleanField(source="quarterly_filer_has_filed_q3")
    notes = serializers.CharField()

    @extend_schema_field(Named)
    def get_parent(self, institution: Institution) -> dict[str, Any]:
        return {"idRssd": institution.parent_rssd, "name": institution.parent_name}

    @extend_schema_field(Named)
    def get_topHolder(self, institution: Institution) -> dict[str, Any]:  # noqa: N802
        return {"idRssd": institution.top_holder_rssd, "name": institution.top_holder_name}


class InstitutionFilings(serializers.Serializer[Any]):
    """An institution with its filings for a year: the annual one first, then the quarters."""

    institution = InstitutionBody()
    filings = FilingBody(many=True)


class Health(serializers.Serializer[Any]):
    """A sign that the service is running."""

    status = serializers.CharField()
    service = serializers.CharField()
    time = serializers.CharField()
    host = serializers.CharField()
