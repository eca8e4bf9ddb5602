"""What changed between years in who reports and what is reported, for whoever compares years."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """A change of definitions. since: the day it took effect. source: the rule, published."""

    since: date
    text: str
    source: str


DEFINITION_CHANGES: tuple[DefinitionChange, ...] = (
    DefinitionChange(
        date(2020, 1, 1),
        "Partial exemptions of smaller depository institutions became part of Regulation C; they "
        "had applied since May 2018. Exempt fields have no value.",
        "12 CFR 1003.3(d); 84 FR 57946",
    ),
    DefinitionChange(
        date(2020, 7, 1),
        "Closed-end loans: institutions with fewer than 100 in either of the two years before "
        "need not report them; before, fewer than 25.",
        "12 CFR 1003.2(g), 1003.3(c)(11); 85 FR 28364",
    ),
    DefinitionChange(
        date(2022, 1, 1),
        "Open-end lines of credit: institutions with fewer than 200 in either of the two years "
        "before need not report them; before, fewer than 500.",
        "12 CFR 1003.2(g), 1003.3(c)(12); 85 FR 28364",
    ),
    DefinitionChange(
        date(2022, 9, 23),
        "Closed-end loans: a court vacated the threshold of 100, so that of 25 applies again.",
        "National Community Reinvestment Coalition v. CFPB, No. 20-cv-2074 (D.D.C.); 87 FR 77980",
    ),
    DefinitionChange(
        date(2024, 1, 1),
        "Connecticut: nine planning regions take the place of the eight counties.",
        "87 FR 34235",
    ),
)


def list_definition_changes(years: Collection[int]) -> list[DefinitionChange]:
    """Return the changes that make the first and the last of some years differ, oldest first.

    One that took effect within a year also counts if that is the first of them: it differs from the
    next in part.
    """
    first, last = min(years), max(years)
    return [
        change
        for change in DEFINITION_CHANGES
        if first < last and date(first, 1, 1) < change.since <= date(last, 12, 31)
    ]
