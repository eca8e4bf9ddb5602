"""What an institution lets organizations do."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from filing.api.serializers.filings import Milliseconds, Text
from filing.api.serializers.people import ReasonText
from filing.models import Delegation
from filing.people.delegations import MOST_PERIODS, DelegationTerms, terms_of

_PERIODS_HELP = "Such as `2024` or `2024-Q1`; empty for all."
_UNTIL_HELP = "The last day, or null."


class DelegationBody(serializers.Serializer[Delegation]):
    """What an organization may do for the institution, or might until it ended."""

    id = serializers.IntegerField(source="pk")
    code = serializers.CharField(source="organization.code")
    organization = serializers.CharField(source="organization.name")
    emailDomain = serializers.CharField(
        source="organization.email_domain", help_text="Empty for none."
    )
    maySign = serializers.BooleanField(source="may_sign")
    periods = serializers.ListField(child=serializers.CharField(), help_text=_PERIODS_HELP)
    until = serializers.DateField(allow_null=True, help_text=_UNTIL_HELP)
    agreedAt = Milliseconds(source="agreed_at")
    endedAt = Milliseconds(source="ended_at")
    reason = serializers.CharField(help_text="Why it ended.")


class DelegationList(serializers.Serializer[Any]):
    """The delegations of an institution, those that ended last."""

    delegations = DelegationBody(many=True)


class _Terms(serializers.Serializer[Any]):
    maySign = serializers.BooleanField(required=False)
    periods = serializers.ListField(
        child=Text(), max_length=MOST_PERIODS, required=False, help_text=_PERIODS_HELP
    )
    until = serializers.DateField(required=False, allow_null=True, help_text=_UNTIL_HELP)

    def read_terms(self, before: DelegationTerms) -> DelegationTerms:
        """Return the terms; what the body leaves out stays as before."""
        values = self.validated_data
        return DelegationTerms(
            values.get("maySign", before.may_sign),
            tuple(values.get("periods", before.periods)),
            values.get("until", before.until),
        )


class DelegationRequest(_Terms):
    """An organization, and what it may do: without `maySign` it prepares only."""

    code = Text(help_text="The code of the organization, such as `ORG-7K2M9Q`.")


class DelegationChange(_Terms):
    """What changes. What is left out stays."""

    reason = ReasonText()

    def change_terms(self, delegation: Delegation) -> DelegationTerms:
        """Return the terms after the change."""
        return self.read_terms(terms_of(delegation))
