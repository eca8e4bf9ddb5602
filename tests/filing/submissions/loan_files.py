"""Files of a few loans, to compare."""

from __future__ import annotations

from typing import Any

from filing.edits.examples import records
from filing.lar.years import Period
from tests.conftest import LEI

YEAR = Period(2024)


Loan = dict[str, Any]


def loan(number: int, **changes: str | int) -> Loan:
    uli = records.numbered_uli(LEI, number)
    return {**records.correct_loan(YEAR, LEI, uli=uli), **changes}


def text(loans: list[Loan], *, end: str = "\n", **sheet: str | int) -> bytes:
    first = {**records.correct_transmittal_sheet(YEAR, LEI, len(loans)), **sheet}
    lines = [records.write_record_line(first), *map(records.write_record_line, loans)]
    return (end.join(lines) + end).encode()


LOANS = [loan(number) for number in range(1, 6)]
