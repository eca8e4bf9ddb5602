"""The bodies of the operator API: institutions to save, histories, and counts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.access.fields import Readers
from filing.api.serializers.filings import (
    InstitutionBody,
    Links,
    Milliseconds,
    StatusBody,
    SubmissionState,
)
from filing.api.serializers.signing import Reason
from filing.api.value_schemas import DATA_YEAR_NUMBER, LEI_TEXT
from filing.models import StatusChange
from filing.statuses import Event
from filing.submissions import LONGEST_REASON
from filing.submissions.edit_counts import EditCounts

NO_REASON = "The program gave no reason."
_SMALL, _LARGE = 2**15 - 1, 2**63 - 1


class StaffInstitution(InstitutionBody):
    """An institution for staff, with TIN and notes."""

    reader = Readers.STAFF


class StaffSubmission(SubmissionState):
    """A submission for staff."""

    reader = Readers.STAFF


class WithReason(serializers.Serializer[Any]):
    """A change with its reason, without which the history and the audit log say so."""

    reason = Reason(
        max_length=LONGEST_REASON,
        required=False,
        allow_blank=True,
        help_text="Why, for the history and the audit log.",
    )

    def validate_reason(self, text: str) -> str:
        return text.strip()

    def to_internal_value(self, data: Any) -> Any:
        """Return the values. Bodies that other programs of operators send have no reason."""
        values: dict[str, Any] = super().to_internal_value(data)
        values["reason"] = values.get("reason") or NO_REASON
        return values


@extend_schema_field(LEI_TEXT)
class Lei(serializers.CharField):
    """An LEI."""


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "number"}], "nullable": True})
class AnyCell(serializers.Field[Any, Any, Any, Any]):
    """A text, a number, or nothing."""


@extend_schema_field(DATA_YEAR_NUMBER)
class DataYear(serializers.IntegerField):
    """A data year."""


class WrittenRespondent(serializers.Serializer[Any]):
    """Name and place of an institution to save."""

    name = serializers.CharField(max_length=200)
    state = serializers.CharField(max_length=2, required=False, allow_blank=True)
    city = serializers.CharField(max_length=80, required=False, allow_blank=True)


class WrittenCompany(serializers.Serializer[Any]):
    """Name and RSSD ID of a parent or top holder to save."""

    idRssd = serializers.IntegerField(min_value=-_LARGE, max_value=_LARGE, required=False)
    name = serializers.CharField(max_length=200, required=False, allow_blank=True)


class InstitutionRequest(WithReason):
    """An institution of a year to add or change, and the reason.

    What is left out keeps its value. Signing alone sets `hmdaFiler` and the flags of quarters.
    """

    activityYear = DataYear(source="activity_year")
    lei = Lei(max_length=20)
    agency = serializers.IntegerField(required=False, min_value=-_SMALL, max_value=_SMALL)
    institutionType = serializers.CharField(
        source="institution_type", max_length=60, required=False, allow_blank=True
    )
    institutionId2017 = serializers.CharField(
        source="institution_id_2017", max_length=40, required=False, allow_blank=True
    )
    taxId = serializers.CharField(source="tax_id", max_length=15, required=False, allow_blank=True)
    rssd = serializers.IntegerField(required=False, min_value=-_LARGE, max_value=_LARGE)
    emailDomains = serializers.ListField(
        child=serializers.CharField(max_length=253),
        source="email_domains",
        max_length=100,
        required=False,
    )
    respondent = WrittenRespondent(required=False)
    parent = WrittenCompany(required=False)
    assets = serializers.IntegerField(required=False, min_value=-_LARGE, max_value=_LARGE)
    otherLenderCode = serializers.IntegerField(
        source="other_lender_code", required=False, min_value=-_SMALL, max_value=_SMALL
    )
    topHolder = WrittenCompany(required=False)
    quarterlyFiler = serializers.BooleanField(source="quarterly_filer", required=False)
    testInstitution = serializers.BooleanField(source="is_test", required=False)
    notes = serializers.CharField(required=False, allow_blank=True)


class InstitutionKey(WithReason):
    """The institution of a year to remove, and the reason."""

    activityYear = DataYear(source="activity_year")
    lei = Lei(max_length=20)


class RemovedInstitution(serializers.Serializer[Any]):
    """The LEI of an institution that was removed."""

    LEI = serializers.CharField()


class FollowUpRequest(WithReason):
    """The reason for which a follow-up is repeated."""


class FollowUpDone(serializers.Serializer[Any]):
    """What was done."""

    submission = serializers.CharField()
    topic = serializers.CharField()
    message = serializers.CharField()


class HistoryItem(serializers.Serializer[Any]):
    """A change of the status of a submission: what happened, when, by whom and why."""

    at = Milliseconds()
    event = serializers.SerializerMethodField()
    status = StatusBody(source="after")
    by = serializers.CharField(source="actor_username", help_text="Blank for the service itself.")
    reason = serializers.CharField()

    def get_event(self, change: StatusChange) -> str:
        event = Event.__members__.get(change.event)
        return event.label if event else change.event


class SubmissionWithHistory(serializers.Serializer[Any]):
    """A submission with the changes of its status, oldest first."""

    submission = StaffSubmission(source="*")
    counts = serializers.BooleanField(source="is_counting", help_text="Whether it counts as filed.")
    history = HistoryItem(source="changes_in_order", many=True)


class SubmissionHistory(serializers.Serializer[Any]):
    """The submissions of an institution for a period, by number, each with its history."""

    submissions = SubmissionWithHistory(many=True)


class SubmissionCounts(serializers.Serializer[Any]):
    """The records of a submission, and how many edits of each kind it triggered."""

    submissionId = serializers.CharField(source="submission")
    status = serializers.IntegerField(source="submission.status")
    lines = serializers.IntegerField(source="submission.lines", help_text="0 until it is read.")
    syntactical = serializers.IntegerField(source="by_kind.syntactical")
    validity = serializers.IntegerField(source="by_kind.validity")
    quality = serializers.IntegerField(source="by_kind.quality")
    macro = serializers.IntegerField(source="by_kind.macro")


class YearCounts(serializers.Serializer[Any]):
    """The submissions of a year."""

    year = serializers.CharField()
    submissions = SubmissionCounts(many=True)


class InstitutionCounts(serializers.Serializer[Any]):
    """The submissions of an institution by year."""

    lei = serializers.CharField()
    years = YearCounts(many=True)


class AllCounts(serializers.Serializer[Any]):
    """The submissions of institutions, by LEI."""

    institutions = InstitutionCounts(many=True)


class CountsPage(AllCounts):
    """A page of the submissions of all institutions, by LEI."""

    count = serializers.IntegerField()
    total = serializers.IntegerField()
    _links = Links()


class LeiList(serializers.Serializer[Any]):
    """Some institutions."""

    leis = serializers.ListField(child=Lei(max_length=20), min_length=1, max_length=1000)


class RecordCount(serializers.Serializer[Any]):
    """How many lines and records a filed file has."""

    submissionId = serializers.CharField()
    lines = serializers.IntegerField()
    records = serializers.IntegerField()


class FigureParameterBody(serializers.Serializer[Any]):
    """A parameter of a figure."""

    name = serializers.CharField()
    accepts = serializers.CharField()


class FigureBody(serializers.Serializer[Any]):
    """A figure that can be asked for."""

    figure = serializers.CharField(source="name")
    title = serializers.CharField()
    group = serializers.CharField()
    columns = serializers.ListField(child=serializers.CharField())
    parameters = FigureParameterBody(many=True)


class FigureList(serializers.Serializer[Any]):
    """All figures."""

    figures = FigureBody(many=True)


class FigureRows(serializers.Serializer[Any]):
    """The answer to a figure: its rows by column, and what exactly is counted."""

    figure = serializers.CharField()
    period = serializers.CharField()
    asOf = serializers.DateField()
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=AnyCell()))
    definition = serializers.CharField()


def show_counts(lei: str, years: dict[int, list[EditCounts]]) -> dict[str, Any]:
    """Return the counts of an institution as JSON."""
    rows = [{"year": str(year), "submissions": counts} for year, counts in years.items()]
    return dict(InstitutionCounts({"lei": lei, "years": rows}).data)
