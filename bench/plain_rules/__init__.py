"""The edits of single records, annual filing of 2024, in plain Python over one parsed record.

They were written by hand from the rules and share no code with the rulebook, so that both can be
held against each other. Each function looks at a part of the record and tells which edits fail;
what several of them need is looked up once.
"""

from __future__ import annotations

import re

from bench.plain_rules import (
    costs,
    credit,
    dwelling,
    entities,
    handling,
    identity,
    mistyped,
    people,
    place,
    request,
    sheet,
    terms,
)
from bench.plain_rules.record import YEAR, Check, Known, Record, day, number

__all__ = ["LOANS", "SHEET", "YEAR", "Check", "Known", "Record", "codes", "day", "number"]

_is_code = re.compile(r"[SVQ][0-9]{3}(-[0-9])?").fullmatch

SHEET: tuple[Check, ...] = (sheet.transmittal_sheet,)
LOANS: tuple[Check, ...] = (
    identity.identifiers,
    identity.dates,
    request.purpose,
    request.preapproval,
    request.amount,
    request.sale,
    place.address,
    place.street,
    place.tract,
    people.ethnicity,
    people.co_ethnicity,
    people.race,
    people.co_race,
    people.sex,
    people.co_sex,
    people.ages,
    entities.entities,
    credit.income,
    credit.score,
    credit.co_score,
    credit.denial,
    costs.totals,
    costs.parts,
    terms.spread,
    terms.rate,
    terms.debt_ratio,
    terms.value_ratio,
    terms.months,
    terms.features,
    dwelling.value,
    dwelling.manufactured_home,
    dwelling.units,
    handling.channel,
    handling.originator,
    handling.underwriting,
    handling.results_of_systems,
    handling.flags,
    mistyped.exempt,
    mistyped.not_applicable,
)


def codes(*checks: Check) -> list[str]:
    """Return the edits that some functions look for, whether they fail or not."""
    # Read off the functions themselves: a list beside them would say what it likes.
    texts = (each for check in checks for each in check.__code__.co_consts)
    return sorted({text for text in texts if isinstance(text, str) and _is_code(text)})
