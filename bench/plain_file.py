"""The edits of the file as a whole, annual filing of 2024, with sets and counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import itemgetter

from bench.plain_rules import Record, number
from filing.lar.fields import LAR, Parse

_NOT_COUNTED = {"applicant_credit_score", "co_applicant_credit_score"}
_MARKED = [f for f in LAR if f.exempt is not None and f.name not in _NOT_COUNTED]
_codes = itemgetter(*(f.name for f in _MARKED if f.exempt == 1111))
_words = itemgetter(*(f.name for f in _MARKED if f.exempt != 1111 and f.parse is not Parse.TEXT))
_texts = itemgetter(*(f.name for f in _MARKED if f.exempt != 1111 and f.parse is Parse.TEXT))


class WholeFile:
    """What the file says in sum, as it grows loan by loan."""

    def __init__(self, sheet: Record) -> None:
        self.sheet = sheet
        self.loans = self.purchases = self.originated_purchases = 0
        self.requested = self.incomes = self.low_incomes = self.exempt = 0
        self.actions: Counter[int] = Counter()
        self._lines: set[str] = set()
        self._ulis: set[str] = set()
        self._originated_ulis: set[str] = set()
        self.repeated_lines: list[int] = []
        self.repeated_ulis: list[int] = []
        self.repeated_originations: list[int] = []

    def add(self, row: int, line: str, loan: Record) -> None:
        """Count a loan, and keep its row where it says again what an earlier one said."""
        self.loans += 1
        self.actions[loan["action_taken"]] += 1
        if loan["loan_purpose"] == 1:
            self.purchases += 1
            self.originated_purchases += loan["action_taken"] == 1
        self.requested += loan["preapproval"] == 1
        income = number(loan["income"])
        if income is not None:
            self.incomes += 1
            self.low_incomes += income < 10
        self.exempt += _is_exempt(loan)
        self._add_repeats(row, line, loan)

    def _add_repeats(self, row: int, line: str, loan: Record) -> None:
        if line in self._lines:
            self.repeated_lines.append(row)
        self._lines.add(line)
        uli = loan["uli"].upper()
        if uli in self._ulis:
            self.repeated_ulis.append(row)
        self._ulis.add(uli)
        if loan["action_taken"] == 1:
            if uli in self._originated_ulis:
                self.repeated_originations.append(row)
            self._originated_ulis.add(uli)

    def verdicts(self) -> Iterator[tuple[str, bool, list[int]]]:
        """Yield for each edit its code, whether it holds, and the rows it lists."""
        reported = self.sheet["total_lines"]
        yield "S304", reported == self.loans, []
        yield "S305", not self.repeated_lines, self.repeated_lines
        yield "S306", not self.repeated_originations, self.repeated_originations
        distinct = self.loans - len(self.repeated_ulis)
        yield "Q600", reported == distinct, self.repeated_ulis
        for code, holds in self._macro():
            yield code, holds, []

    def _macro(self) -> Iterator[tuple[str, bool]]:
        actions, loans, originated = self.actions, self.loans, self.originated_purchases
        decided = sum(actions[code] for code in (1, 2, 3, 4, 5, 6))
        yield "Q634", originated <= 25 or originated * 100 <= 95 * self.purchases
        yield "Q635", actions[2] * 100 <= 15 * loans
        yield "Q636", actions[4] * 100 <= 30 * loans
        yield "Q637", actions[5] * 100 <= 15 * loans
        yield "Q638", decided > 0 and actions[1] * 100 >= 20 * decided
        yield "Q639", self.requested <= 1000 or actions[7] > 0
        yield "Q640", self.low_incomes * 100 <= 20 * self.incomes
        yield "Q646", self.exempt == 0
        yield "Q647", self.sheet["federal_agency"] != 7 or self.exempt == 0


def _is_exempt(loan: Record) -> bool:
    if 1111 in _codes(loan):
        return True
    if not {"Exempt", "1111"}.isdisjoint(_words(loan)):
        return True
    return any(text.upper() in ("EXEMPT", "1111") for text in _texts(loan))
