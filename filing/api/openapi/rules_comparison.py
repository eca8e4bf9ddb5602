"""The operation that compares a checked file with the rules of another year."""

from __future__ import annotations

from filing.api.openapi import LEI, refused
from filing.api.openapi.operations import NO_INSTITUTION, NO_SUBMISSION, operation
from filing.api.serializers.rules_comparison import RulesDifferenceBody

compare_rules = operation(
    "Compare with the rules of another year",
    {
        200: RulesDifferenceBody,
        400: refused(
            f"The edits have not been run on {LEI}-2024-3, so it cannot be compared.",
            f"{LEI}-2024-3 is a file of 2024. Choose another year to compare its rules.",
            NO_INSTITUTION,
        ),
        404: refused(NO_SUBMISSION),
    },
    description=(
        "What the rules of another year find in a checked file, such as those of the next one: the "
        "edits that differ, with counts before and after. The results of the submission do not "
        "change. A year that runs the same rules has no difference. Files too large to compare "
        "while you wait answer 400; `hmda check FILE --year … --rules …` compares them on your "
        "computer."
    ),
)
