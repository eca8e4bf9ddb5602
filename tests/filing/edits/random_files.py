"""Random transmittal sheets and files on which rules come out now this way, now that."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import timedelta

from filing.lar.fields import TRANSMITTAL_SHEET
from filing.lar.years import Period
from tests.filing.edits.pools import LEI, TEXTS
from tests.filing.edits.random_loans import Values, correct_loan

Column = list[str | int]
ONE_DAY = timedelta(days=1)
MIXES: Mapping[str, Column] = {
    "action_taken": [*range(1, 9)],
    "loan_purpose": [1, 2, 31],
    "income": ["9", "10", "NA"],
    "preapproval": [1, 2],
}
# How many loans a file has, and in how many percent of them a column has some value.
THEMES: tuple[tuple[tuple[int, ...], Mapping[str, tuple[str | int, int]]], ...] = (
    ((0, 1, 3), {}),
    ((26, 27, 40, 100), {"loan_purpose": (1, 100), "action_taken": (1, 95)}),
    ((20, 100), {"action_taken": (2, 15)}),
    ((20, 100), {"action_taken": (4, 30)}),
    ((20, 100), {"action_taken": (5, 15)}),
    ((40, 100), {"action_taken": (1, 15)}),  # some of the others have the actions 7 and 8
    ((1001,), {"preapproval": (1, 100), "action_taken": (7, 0)}),
    ((20, 100), {"income": ("9", 20)}),
)
SHEET_POOLS: Mapping[str, tuple[str | int, ...]] = {
    "record_id": (1, 1, 1, 2, 0),
    "calendar_quarter": (1, 2, 3, 4, 0),
    "contact_phone": ("555-555-0100", "5555550100", "555-555-01000", ""),
    "contact_state": ("CA", "PR", "ca", "XX", "NA", ""),
    "contact_zip_code": ("90001", "90001-1234", "9000", "90001-", ""),
    "contact_email": ("ann@bank.example", "ann@bank", "a b@bank.example", "@bank.example", "ann"),
    "federal_agency": (1, 2, 3, 5, 7, 9),
    "total_lines": (1, 0, -1, 2),
    "tax_id": ("12-3456789", "123456789", "99-9999999", "00-0000000", ""),
    "lei": (LEI, LEI.lower(), "EXAMPLE", "é" * 20, ""),
}


def random_sheet(period: Period, draw: random.Random) -> Values:
    """Return values for some fields of a transmittal sheet."""
    pools = {**SHEET_POOLS, "calendar_year": (period.year, period.year - 1, 0)}
    some = draw.sample(TRANSMITTAL_SHEET, k=draw.randint(0, 6))
    return {field.name: draw.choice(pools.get(field.name, TEXTS)) for field in some}


def files_at_a_limit(period: Period) -> Iterator[list[Values]]:
    """Yield the loans of files of which the shares are at the limit of a macro edit or beside it.

    Some loans come twice, and some are of the days before and after the period.
    """
    draw = random.Random(f"{period}")
    for sizes, theme in THEMES:
        size = draw.choice(sizes)
        actions, others = draw.choices(range(1, 9), k=2), ("loan_purpose", "income", "preapproval")
        mixes = {"action_taken": actions} | {name: MIXES[name] for name in others}
        mixes |= {"action_taken_date": _border_days(period, draw)}
        columns = {name: draw.choices(values, k=size) for name, values in mixes.items()}
        columns |= {name: _share(draw, size, name, *share) for name, share in theme.items()}
        rows = zip(*columns.values(), strict=True)
        loans = [{**correct_loan(period), **dict(zip(columns, row, strict=True))} for row in rows]
        for number, loan in enumerate(loans):
            loan["uli"] = f"LOAN{number}"
        for loan in draw.sample(loans, min(size, draw.randrange(3))):
            loan |= {"uli": draw.choice(("LOAN0", "loan0")), "aus_1": draw.choice((1, 1111))}
        yield loans


def _share(draw: random.Random, size: int, name: str, value: str | int, percent: int) -> Column:
    """Return the value in a share of the loans, or one more or less, and others in the rest."""
    some = min(max(size * percent // 100 + draw.choice((-1, 0, 0, 1)), 0), size)
    others = [other for other in MIXES[name] if other not in (value, "NA")]
    return [value] * some + draw.choices(others, k=size - some)


def _border_days(period: Period, draw: random.Random) -> list[str | int]:
    """Return a day of the period, and its first and last with those before and after."""
    days = [period.starts, period.ends, period.starts - ONE_DAY, period.ends + ONE_DAY]
    borders = [int(f"{day:%Y%m%d}") for day in days]
    return [correct_loan(period)["action_taken_date"], *draw.choices(borders, k=draw.randrange(3))]
