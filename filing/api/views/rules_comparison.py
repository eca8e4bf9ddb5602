"""The endpoint that compares a checked file with the rules of another year."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.openapi import rules_comparison as openapi
from filing.api.serializers.rules_comparison import RulesDifferenceBody
from filing.api.views.base import FilingView
from filing.submissions.rules_comparison import compare_with_rules


class RulesComparison(FilingView):
    """What the rules of another year find in the file of a submission, edit by edit."""

    @openapi.compare_rules
    def get(self, request: Request, sequence_number: str, rules: str, **where: Any) -> Response:
        submission = self.find_or_404(sequence_number)
        difference = compare_with_rules(submission, int(rules))
        return Response(RulesDifferenceBody(difference).data)
