"""Verification, signature, receipt, and the summary of a submission."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.api.serializers.filings import SubmissionBody, SubmissionStatus, SummaryId
from filing.api.value_schemas import STORABLE_TEXT
from filing.models import Submission
from filing.submissions import LONGEST_REASON


class StrictBoolean(serializers.BooleanField):
    """True or false; no other value is accepted, such as 1 or "yes"."""

    default_error_messages = {"invalid": "Must be true or false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


@extend_schema_field(STORABLE_TEXT | {"maxLength": LONGEST_REASON})
class Reason(serializers.CharField):
    """A reason, which becomes one line."""


class VerifyRequest(serializers.Serializer[Any]):
    """Whether the edits were reviewed and the data is accurate."""

    verified = StrictBoolean()


class Verification(serializers.Serializer[Any]):
    """Whether the edits are verified now, and the new status."""

    verified = serializers.BooleanField()
    status = SubmissionStatus()


class SignRequest(serializers.Serializer[Any]):
    """The signature: certifies that the data is accurate and complete."""

    signed = StrictBoolean()
    reason = Reason(
        required=False,
        allow_blank=True,
        help_text=(
            "Why the filing is signed again: one line, at most 500 characters. Needed to file the "
            "same file again."
        ),
    )


class SignReceipt(serializers.Serializer[Any]):
    """Who signed, when, and the receipt number; before signing, timestamp 0 and no receipt."""

    email = serializers.CharField()
    timestamp = serializers.IntegerField()
    receipt = serializers.CharField()
    status = SubmissionStatus()
    signerUsername = serializers.CharField(allow_null=True)


class SignedReceiptFile(serializers.Serializer[Any]):
    """The receipt file: the values of the receipt, and the proof that the service signed them."""

    receipt = serializers.CharField()
    lei = serializers.CharField()
    period = serializers.CharField()
    sha256 = serializers.CharField()
    records = serializers.IntegerField()
    signedAt = serializers.DateTimeField()
    proof = serializers.CharField(help_text="A compact JSON Web Signature (RFC 7515), EdDSA.")


class SummarySubmission(SubmissionBody):
    """A submission with its signer."""

    id = SummaryId(source="*")  # type: ignore[assignment]
    signerUsername = serializers.SerializerMethodField()

    def get_signerUsername(self, submission: Submission) -> str:  # noqa: N802
        return self.signed(submission).signer_username


class Address(serializers.Serializer[Any]):
    """The address of the contact person."""

    street = serializers.CharField(source="contact_street")
    city = serializers.CharField(source="contact_city")
    state = serializers.CharField(source="contact_state")
    zipCode = serializers.CharField(source="contact_zip_code")


class Contact(serializers.Serializer[Any]):
    """The contact person for the file."""

    name = serializers.CharField(source="contact_name")
    phone = serializers.CharField(source="contact_phone")
    email = serializers.CharField(source="contact_email")
    address = Address(source="*")


class TransmittalSheetBody(serializers.Serializer[Any]):
    """The transmittal sheet of the file."""

    id = serializers.IntegerField(source="record_id")
    institutionName = serializers.CharField(source="institution_name")
    year = serializers.CharField(source="calendar_year")
    quarter = serializers.IntegerField(source="calendar_quarter")
    contact = Contact(source="*")
    agency = serializers.IntegerField(source="federal_agency")
    totalLines = serializers.IntegerField(source="total_lines")
    taxId = serializers.CharField(source="tax_id")
    LEI = serializers.CharField(source="lei")


class SubmissionSummary(serializers.Serializer[Any]):
    """A submission with its transmittal sheet."""

    submission = SummarySubmission()
    ts = TransmittalSheetBody()
