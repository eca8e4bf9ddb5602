"""JSON shapes of the filing API. Outside names are camelCase, set here and nowhere else."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from filing.models import Filing, Institution, Submission
from filing.statuses import FilingStatus, Status


class Milliseconds(serializers.Field[Any, Any, Any, Any]):
    """A time as whole milliseconds since 1970-01-01 UTC; 0 while it is unset."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, **options)

    def get_attribute(self, instance: Any) -> Any:
        # A missing relation (no signature yet) is an unset time, not an error; and a field that is
        # None would be shown as null without being asked.
        try:
            return super().get_attribute(instance) or 0
        except (AttributeError, serializers.SkipField):
            return 0

    def to_representation(self, value: datetime | int) -> int:
        return int(value.timestamp() * 1000 + 0.5) if isinstance(value, datetime) else 0


extend_schema_field({"type": "integer", "format": "int64", "example": 1741000100000})(Milliseconds)


class ErrorBody(serializers.Serializer[Any]):
    """What every refusal looks like."""

    httpStatus = serializers.IntegerField()  # noqa: N815 -- outside name
    message = serializers.CharField()
    path = serializers.CharField(help_text="The path without its prefix; empty for a bad token.")


class Links(serializers.Serializer[Any]):
    """Where the other pages are: `href` with `{rel}` replaced by one of the others."""

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
    """A status code with its message and what it means."""

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
    """The status of one submission; a failed one says why."""

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        body = super().to_representation(instance.status)
        if instance.failure and instance.status == Status.FAILED:
            body["description"] = f"{body['description']} {instance.failure}"
        return body


class PeriodObject(serializers.Serializer[Any]):
    """A period in parts; `quarter` is null for an annual one."""

    year = serializers.CharField()
    quarter = serializers.CharField(allow_null=True)


class SummaryId(serializers.Serializer[Any]):
    """Which submission it is; the period in parts."""

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
    """Which submission it is; the period is the year, or for a quarter an object."""

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


class SubmissionBody(serializers.Serializer[Any]):
    """One submission."""

    id = SubmissionId(source="*")
    status = SubmissionStatus(source="*")
    start = Milliseconds(source="created_at")
    end = Milliseconds(source="signature.signed_at")
    fileName = serializers.CharField(source="file_name")  # noqa: N815
    receipt = serializers.SerializerMethodField()

    def get_receipt(self, submission: Submission) -> str:
        return submission.signature.receipt if hasattr(submission, "signature") else ""


class ProgressBody(serializers.Serializer[Any]):
    """How far the present stage is."""

    stage = serializers.CharField()
    rowsDone = serializers.IntegerField(source="rows_done")  # noqa: N815
    rowsTotal = serializers.IntegerField(source="rows_total")  # noqa: N815


class SubmissionState(SubmissionBody):
    """One submission with what there is to verify, and how far a running stage is."""

    qualityVerified = serializers.BooleanField(source="quality_verified")  # noqa: N815
    macroVerified = serializers.BooleanField(source="macro_verified")  # noqa: N815
    qualityExists = serializers.BooleanField(source="quality_exists")  # noqa: N815
    macroExists = serializers.BooleanField(source="macro_exists")  # noqa: N815
    signerUsername = serializers.SerializerMethodField()  # noqa: N815
    progress = serializers.SerializerMethodField(
        help_text="Rows done in the present stage; absent while nobody works on it."
    )

    @extend_schema_field({"type": "string", "nullable": True})
    def get_signerUsername(self, submission: Submission) -> str | None:  # noqa: N802
        return submission.signature.signer_username if hasattr(submission, "signature") else None

    @extend_schema_field(ProgressBody(allow_null=True))
    def get_progress(self, submission: Submission) -> dict[str, Any] | None:
        progress = self.context.get("progress")
        return ProgressBody(progress).data if progress else None


class FilingStatusBody(serializers.Serializer[Any]):
    """Where a filing stands: 1 not-started, 2 in-progress, 3 completed, -1 cancelled."""

    code = serializers.IntegerField()
    message = serializers.CharField()

    def to_representation(self, instance: int) -> dict[str, Any]:
        status = FilingStatus(instance)
        return {"code": status.value, "message": status.message}


class FilingObject(serializers.Serializer[Filing]):
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
            "fields": [{"name": name, "value": value} for name, value in instance.fields],
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
    rows = EditRowBody(many=True)
    count = serializers.IntegerField()
    total = serializers.IntegerField()
    _links = Links()


class StrictBoolean(serializers.BooleanField):
    """True or false, and nothing that merely looks like it."""

    default_error_messages = {"invalid": "Must be true or false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class VerifyRequest(serializers.Serializer[Any]):
    """Whether the edits were reviewed and the data is correct."""

    verified = StrictBoolean()


class Verification(serializers.Serializer[Any]):
    """What is verified now, and the status that follows."""

    verified = serializers.BooleanField()
    status = SubmissionStatus()


class SignRequest(serializers.Serializer[Any]):
    """The signature: certifies that the data is accurate and complete."""

    signed = StrictBoolean()


class SignReceipt(serializers.Serializer[Any]):
    """Who signed, when, and the receipt; before signing timestamp 0 and an empty receipt."""

    email = serializers.CharField()
    timestamp = serializers.IntegerField()
    receipt = serializers.CharField()
    status = SubmissionStatus()
    signerUsername = serializers.CharField(allow_null=True)  # noqa: N815


class SummarySubmission(SubmissionBody):
    """A submission with its signer."""

    id = SummaryId(source="*")  # type: ignore[assignment]
    signerUsername = serializers.SerializerMethodField()  # noqa: N815

    def get_signerUsername(self, submission: Submission) -> str:  # noqa: N802
        return submission.signature.signer_username if hasattr(submission, "signature") else ""


class Address(serializers.Serializer[Any]):
    """Where the contact person works."""

    street = serializers.CharField(source="contact_street")
    city = serializers.CharField(source="contact_city")
    state = serializers.CharField(source="contact_state")
    zipCode = serializers.CharField(source="contact_zip_code")  # noqa: N815


class Contact(serializers.Serializer[Any]):
    """Whom to ask about the file."""

    name = serializers.CharField(source="contact_name")
    phone = serializers.CharField(source="contact_phone")
    email = serializers.CharField(source="contact_email")
    address = Address(source="*")


class TransmittalSheetBody(serializers.Serializer[Any]):
    """The transmittal sheet of the file."""

    id = serializers.IntegerField(source="record_id")
    institutionName = serializers.CharField(source="institution_name")  # noqa: N815
    year = serializers.CharField(source="calendar_year")
    quarter = serializers.IntegerField(source="calendar_quarter")
    contact = Contact(source="*")
    agency = serializers.IntegerField(source="federal_agency")
    totalLines = serializers.IntegerField(source="total_lines")  # noqa: N815
    taxId = serializers.CharField(source="tax_id")  # noqa: N815
    LEI = serializers.CharField(source="lei")


class SubmissionSummary(serializers.Serializer[Any]):
    """A submission with its transmittal sheet."""

    submission = SummarySubmission()
    ts = TransmittalSheetBody()


class Named(serializers.Serializer[Any]):
    """A company above the institution."""

    idRssd = serializers.IntegerField()  # noqa: N815
    name = serializers.CharField()


class Respondent(serializers.Serializer[Any]):
    """The institution by name and place."""

    name = serializers.CharField()
    state = serializers.CharField()
    city = serializers.CharField()


class InstitutionBody(serializers.Serializer[Institution]):
    """An institution as the panel of a year has it."""

    activityYear = serializers.IntegerField(source="activity_year")  # noqa: N815
    lei = serializers.CharField()
    agency = serializers.IntegerField()
    institutionType = serializers.CharField(source="institution_type")  # noqa: N815
    institutionId2017 = serializers.CharField(source="institution_id_2017")  # noqa: N815
    taxId = serializers.CharField(source="tax_id")  # noqa: N815
    rssd = serializers.IntegerField()
    emailDomains = serializers.ListField(  # noqa: N815
        child=serializers.CharField(), source="email_domains"
    )
    respondent = Respondent(source="*")
    parent = serializers.SerializerMethodField()  # type: ignore[assignment]
    assets = serializers.IntegerField()
    otherLenderCode = serializers.IntegerField(source="other_lender_code")  # noqa: N815
    topHolder = serializers.SerializerMethodField()  # noqa: N815
    hmdaFiler = serializers.BooleanField(source="hmda_filer")  # noqa: N815
    quarterlyFiler = serializers.BooleanField(source="quarterly_filer")  # noqa: N815
    quarterlyFilerHasFiledQ1 = serializers.BooleanField(source="quarterly_filer_has_filed_q1")  # noqa: N815
    quarterlyFilerHasFiledQ2 = serializers.BooleanField(source="quarterly_filer_has_filed_q2")  # noqa: N815
    quarterlyFilerHasFiledQ3 = serializers.BooleanField(source="quarterly_filer_has_filed_q3")  # noqa: N815
    notes = serializers.CharField()

    @extend_schema_field(Named)
    def get_parent(self, institution: Institution) -> dict[str, Any]:
        return {"idRssd": institution.parent_rssd, "name": institution.parent_name}

    @extend_schema_field(Named)
    def get_topHolder(self, institution: Institution) -> dict[str, Any]:  # noqa: N802
        return {"idRssd": institution.top_holder_rssd, "name": institution.top_holder_name}


class InstitutionFilings(serializers.Serializer[Any]):
    """An institution with its filings of a year: the annual one first, then the quarters."""

    institution = InstitutionBody()
    filings = FilingBody(many=True)


class Health(serializers.Serializer[Any]):
    """That the service answers."""

    status = serializers.CharField()
    service = serializers.CharField()
    time = serializers.CharField()
    host = serializers.CharField()
