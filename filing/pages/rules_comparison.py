"""What the rules of another year find in the file of a submission: counts, edit by edit."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from filing.lar.period import Period
from filing.lar.years import find_year, is_supported, supported_years
from filing.pages.filer import SubmissionPage
from filing.submissions.rules_comparison import compare_with_rules


class RulesComparison(SubmissionPage):
    """The results of a checked file beside those of the rules of another year."""

    def get(self, request: HttpRequest, rules: str, **where: str) -> HttpResponse:
        difference = compare_with_rules(self.submission, int(rules))
        other = find_year(difference.other_year)
        return self.show(
            "rules_comparison",
            difference=difference,
            other_rules=other.rules_in_words if other and other.is_provisional else "",
            others=[(year, self._address(year)) for year in self._other_years(int(rules))],
        )

    def _other_years(self, rules_year: int) -> list[int]:
        """Return the other years whose rules can be compared, newest first."""
        compared, quarter = {self.period.year, rules_year}, self.period.quarter
        return [
            year
            for year in reversed(supported_years())
            if year not in compared and is_supported(Period(year, quarter))
        ]

    def _address(self, year: int) -> str:
        number = self.submission.sequence_number
        return self.address("filing-rules", number=number, rules=year)
