"""Random loans in which several edits fail at once, and hardly two loans fail the same."""

from __future__ import annotations

from random import Random

from filing.demo.files import unreadable
from filing.edits import catalogue, examples
from filing.edits.edit import Level
from filing.lar.fields import LAR, Field, Parse
from filing.lar.period import Period

Loan = dict[str, str | int]

WORDS: dict[Parse, tuple[str | int, ...]] = {
    Parse.CODE_OR_BLANK: (0,),
    Parse.INTEGER_OR_NA: ("NA",),
    Parse.INTEGER_NA_OR_EXEMPT: ("NA", "Exempt"),
    Parse.DECIMAL_NA_OR_EXEMPT: ("NA", "Exempt"),
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: ("NA", "Exempt", ""),
    Parse.DATE_OR_NA: ("NA",),
    Parse.TEXT: ("NA", "na", "Exempt", "exempt", "1111", ""),
}


def doubtful_loans(period: Period, lei: str, number: int) -> list[Loan]:
    """Return loans with values that make edits fail, and others that often decide whether."""
    draw = Random(period.year)
    edits = catalogue.edits(period, level=Level.LAR)
    never = unreadable(period, [edit.code for edit in edits])
    breaks = [dict(edit.breaks) for edit in edits if edit.code not in never]
    pools = {field.name: _pool(field, breaks) for field in LAR}
    loans = []
    for serial in range(number):
        loan = examples.correct_loan(period, lei, uli=examples.numbered_uli(lei, serial))
        for change in draw.choices(breaks, k=draw.randint(1, 3)):
            loan |= change
        for name in draw.sample(list(pools), draw.randint(0, 8)):
            loan[name] = draw.choice(pools[name] or [loan[name]])
        loans.append(loan)
    return loans


def _pool(field: Field, breaks: list[Loan]) -> list[str | int]:
    breaking = [change[field.name] for change in breaks if field.name in change]
    return [*field.codes, *WORDS.get(field.parse, ()), *breaking]
