"""Filing periods, filing years, and the filings that an institution owes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from filing.api.serializers.filings import FilingStatusBody
from filing.pages.cards import FilingCard
from filing.periods.filings import PublicPeriod
from filing.statuses import FilingStatus


class Thresholds(serializers.Serializer[Any]):
    """From when on institutions report in a year; null where it is not known yet."""

    assets = serializers.IntegerField(
        source="asset_threshold",
        allow_null=True,
        help_text="Dollars up to which banks, savings associations and credit unions are exempt.",
    )
    closedEndLoans = serializers.IntegerField(
        source="closed_end_threshold",
        allow_null=True,
        help_text="Closed-end mortgage loans in each of the two years before.",
    )
    openEndLines = serializers.IntegerField(
        source="open_end_threshold",
        allow_null=True,
        help_text="Open-end lines of credit in each of the two years before.",
    )
    quarterlyRecords = serializers.IntegerField(
        source="quarterly_threshold",
        allow_null=True,
        help_text="Records of the year before, without purchases, for quarterly reporting.",
    )


class FilingYearBody(serializers.Serializer[Any]):
    """A data year, with the rules that its files are checked with."""

    year = serializers.IntegerField()
    stage = serializers.CharField(
        source="rules.stage.label",
        help_text="`checks`: files can be checked. `filing`: they can also be filed.",
    )
    rulebook = serializers.IntegerField(help_text="The year whose released rules are run.")
    provisional = serializers.BooleanField(
        source="rules.is_provisional",
        help_text="Whether they stand in until rules of the data year are released.",
    )
    thresholds = Thresholds(source="*")


class PeriodDays(serializers.Serializer[Any]):
    """A filing period with its days, in the filing time zone."""

    period = serializers.CharField(source="*", help_text="Such as `2024`, or `2024-Q1`.")
    year = serializers.IntegerField(help_text="The data year.")
    quarter = serializers.CharField(
        allow_null=True, help_text="`Q1`, `Q2`, `Q3`; null for an annual period."
    )
    opens = serializers.DateField(help_text="The first day on which files are accepted.")
    due = serializers.DateField(source="timely_until", help_text="The filing deadline.")
    closes = serializers.DateField(help_text="The last day on which files are accepted.")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return {**super().to_representation(instance), "quarter": instance.quarter or None}


class FilingPeriodBody(PeriodDays, FilingYearBody):
    """A filing period, with the rules and the thresholds of its year."""

    def to_representation(self, instance: PublicPeriod) -> dict[str, Any]:
        return {**PeriodDays(instance.period).data, **FilingYearBody(instance.year).data}


class FilingPeriodList(serializers.Serializer[Any]):
    """All filing periods and years, newest first."""

    periods = FilingPeriodBody(many=True)
    years = FilingYearBody(many=True)


class ObligationBody(PeriodDays):
    """A period in which an institution files, and how far its filing is."""

    filingStatus = FilingStatusBody()
    status = serializers.CharField(help_text="As the pages say it, for people.")
    submission = serializers.IntegerField(
        allow_null=True, help_text="The number of the submission that counts; null if none does."
    )
    receipt = serializers.CharField(
        allow_null=True, help_text="The receipt number of what counts; null if nothing does."
    )
    extension = serializers.CharField(
        allow_null=True,
        help_text="Why the institution has later days than everyone; null if it has not.",
    )

    def to_representation(self, instance: FilingCard) -> dict[str, Any]:
        due = instance.due
        status = due.filing.status if due.filing else FilingStatus.NOT_STARTED
        counting = due.counting
        return {
            **PeriodDays(due.period).data,
            "filingStatus": FilingStatusBody(status).data,
            "status": instance.state.text,
            "submission": counting.sequence_number if counting else None,
            "receipt": instance.signature.receipt if instance.signature else None,
            "extension": due.period.extension.why if due.period.extension else None,
        }


class ObligationList(serializers.Serializer[Any]):
    """The periods in which an institution files, newest first."""

    lei = serializers.CharField()
    obligations = ObligationBody(many=True)
