"""The institution's record in the panel, and proposals to change it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.api.serializers.filings import InstitutionBody, Links, Milliseconds, Readable
from filing.api.value_schemas import DATA_YEAR_NUMBER, HOST, STORABLE_TEXT, text_schema
from filing.emails.outbox import ONE_LINE
from filing.lar.fields import AGENCIES
from filing.models import RecordProposal, Submission
from filing.panel import proposals
from filing.panel.institution_record import InstitutionRecord

_SMALL, _LARGE = 2**15 - 1, 10**18 - 1  # as a panel file may have them
# Our columns, by the names of this API.
NAMES = {
    "name": "name",
    "taxId": "tax_id",
    "agency": "agency",
    "emailDomains": "email_domains",
    "quarterlyFiler": "quarterly_filer",
    "institutionType": "institution_type",
    "rssd": "rssd",
    "city": "city",
    "state": "state",
    "assets": "assets",
    "otherLenderCode": "other_lender_code",
    "parentRssd": "parent_rssd",
    "parentName": "parent_name",
    "topHolderRssd": "top_holder_rssd",
    "topHolderName": "top_holder_name",
}
_API_NAMES = {column: name for name, column in NAMES.items()}


class RecordContact(serializers.Serializer[Any]):
    """The contact on the transmittal sheet of the newest signed submission."""

    name = serializers.CharField()
    phone = serializers.CharField()
    email = serializers.CharField()
    street = serializers.CharField()
    city = serializers.CharField()
    state = serializers.CharField()
    zipCode = serializers.CharField()


class FiledRecord(serializers.Serializer[Any]):
    """What the newest signed submission has: its name, and values of its transmittal sheet."""

    submission = serializers.CharField()
    signedAt = Milliseconds()
    lei = serializers.CharField()
    name = serializers.CharField()
    agency = serializers.IntegerField()
    taxId = serializers.CharField()
    contact = RecordContact()


class RecordChange(serializers.Serializer[Any]):
    """A change of the record: in which year, by the institution or by staff, and what changed."""

    at = Milliseconds()
    year = serializers.IntegerField(allow_null=True, help_text="The year of the record.")
    by = serializers.CharField(source="who", help_text="`the institution` or `staff`.")
    event = serializers.CharField(source="what", help_text="`added`, `changed` or `deleted`.")
    changes = serializers.ListField(child=serializers.CharField(), source="lines")


class RecordBody(serializers.Serializer[Any]):
    """The record of an institution in a year, what was filed last, and the changes."""

    institution = InstitutionBody()
    years = serializers.ListField(
        child=serializers.IntegerField(), help_text="Of which the panel has a record."
    )
    comparedBy = serializers.ListField(
        child=serializers.CharField(),
        source="edits",
        help_text="The edits of the year that compare a transmittal sheet with the record.",
    )
    comparedFields = serializers.SerializerMethodField(
        help_text="The fields of the record that they compare."
    )
    filedLast = serializers.SerializerMethodField(help_text="Null if nothing is signed.")

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_comparedFields(self, record: InstitutionRecord) -> list[str]:  # noqa: N802
        return [
            _API_NAMES.get(field.name, field.name) for field in record.fields if field.is_compared
        ]

    @extend_schema_field(FiledRecord(allow_null=True))
    def get_filedLast(self, record: InstitutionRecord) -> dict[str, Any] | None:  # noqa: N802
        filed: Submission | None = record.filed
        sheet = filed.transmittal_sheet if filed else None
        if filed is None or sheet is None:
            return None
        return FiledRecord(
            {
                "submission": str(filed),
                "signedAt": filed.signature.signed_at,
                "lei": sheet["lei"],
                "name": sheet["institution_name"],
                "agency": sheet["federal_agency"],
                "taxId": sheet["tax_id"],
                "contact": record.contact,
            }
        ).data


class RecordPage(RecordBody):
    """The record with a page of its changes, the newest first."""

    history = RecordChange(many=True, read_only=True)
    count = serializers.IntegerField(read_only=True)
    total = serializers.IntegerField(read_only=True)
    _links = Links()


@extend_schema_field(text_schema(f"{ONE_LINE}*"))
class OneLine(serializers.CharField):
    """A text of one line."""


@extend_schema_field(text_schema("(?:[0-9]{2}-[0-9]{7})?"))
class TaxId(serializers.CharField):
    """A TIN, or blank."""


@extend_schema_field({"type": "integer", "enum": list(AGENCIES)})
class Agency(serializers.IntegerField):
    """The code of a federal agency."""


@extend_schema_field(text_schema(HOST))
class EmailDomain(serializers.CharField):
    """An email domain of the institution."""


class ProposedValues(serializers.Serializer[Any]):
    """The values to change; what is left out stays."""

    name = OneLine(max_length=200, required=False)
    taxId = TaxId(max_length=15, required=False, allow_blank=True)
    agency = Agency(required=False, min_value=-_SMALL, max_value=_SMALL)
    emailDomains = serializers.ListField(
        child=EmailDomain(max_length=253), max_length=100, required=False
    )
    quarterlyFiler = serializers.BooleanField(required=False)
    institutionType = OneLine(max_length=60, required=False, allow_blank=True)
    rssd = serializers.IntegerField(required=False, min_value=-_LARGE, max_value=_LARGE)
    city = OneLine(max_length=80, required=False, allow_blank=True)
    state = OneLine(max_length=2, required=False, allow_blank=True)
    assets = serializers.IntegerField(required=False, min_value=-_LARGE, max_value=_LARGE)
    otherLenderCode = serializers.IntegerField(required=False, min_value=-_SMALL, max_value=_SMALL)
    parentRssd = serializers.IntegerField(required=False, min_value=-_LARGE, max_value=_LARGE)
    parentName = OneLine(max_length=200, required=False, allow_blank=True)
    topHolderRssd = serializers.IntegerField(required=False, min_value=-_LARGE, max_value=_LARGE)
    topHolderName = OneLine(max_length=200, required=False, allow_blank=True)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the values by our columns. Raises: ValidationError, also for unknown names."""
        if isinstance(data, dict) and (unknown := sorted(map(str, data.keys() - NAMES.keys()))):
            raise serializers.ValidationError(
                {name: [f"This cannot be proposed; send {', '.join(NAMES)}."] for name in unknown}
            )
        return {NAMES[name]: value for name, value in super().to_internal_value(data).items()}


@extend_schema_field(DATA_YEAR_NUMBER)
class RecordYear(serializers.IntegerField):
    """The year of a record."""


@extend_schema_field(STORABLE_TEXT | {"maxLength": proposals.LONGEST_REASON, "minLength": 1})
class ProposalReason(serializers.CharField):
    """Why the record should change."""


class ProposalRequest(serializers.Serializer[Any]):
    """A proposal to change the record of a year, and the reason."""

    activityYear = RecordYear(
        required=False, help_text="The year of the record; without it the newest."
    )
    changes = ProposedValues()
    reason = ProposalReason(
        max_length=proposals.LONGEST_REASON,
        help_text="What has changed and since when. Staff decide with it.",
    )


class ValueChange(serializers.Serializer[Any]):
    """A field with its value before and after."""

    field = serializers.CharField()
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField()


class ProposalBody(Readable):
    """A proposal, and the answer of staff."""

    id = serializers.IntegerField(source="pk")
    number = serializers.CharField(help_text="Of its case; quote it to the help desk.")
    state = serializers.CharField(
        help_text="`open`, `accepted`, `changed` (accepted with changes), `refused`, `withdrawn`."
    )
    activityYear = serializers.IntegerField(source="activity_year")
    changes = serializers.SerializerMethodField(help_text="What was proposed.")
    reason = serializers.CharField()
    proposedAt = Milliseconds(source="at")
    written = serializers.SerializerMethodField(help_text="What staff wrote to the record.")
    answeredAt = Milliseconds(source="answered_at")
    answer = serializers.CharField()

    @extend_schema_field(ValueChange(many=True))
    def get_changes(self, proposal: RecordProposal) -> list[dict[str, Any]]:
        return _list_changes(proposal.changes)

    @extend_schema_field(ValueChange(many=True))
    def get_written(self, proposal: RecordProposal) -> list[dict[str, Any]]:
        return _list_changes(proposal.accepted)


class ProposalPage(serializers.Serializer[Any]):
    """A page of the proposals of an institution, the newest first."""

    proposals = ProposalBody(many=True)
    count = serializers.IntegerField()
    total = serializers.IntegerField()
    _links = Links()


def _list_changes(changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"field": _API_NAMES.get(column, column), "before": before, "after": after}
        for column, (before, after) in changes.items()
    ]
