"""The rate spread of one loan, and the story of how it came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import polars as pl

from filing.errors import BadInput
from ratespread.apor import Apor, Week
from ratespread.calculator import FAULTS, NA, NAMES, NO_APOR, answers
from ratespread.models import AporLoad, AporWeek, Kind

_KINDS = {"FixedRate": Kind.FIXED, "VariableRate": Kind.VARIABLE}


@dataclass(frozen=True, slots=True)
class Correction:
    """A rate that counted before, and until when."""

    apor: str
    load: AporLoad
    until: datetime


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate that was taken. table: fixed or variable; week: its Monday; term: in years."""

    table: str
    week: date
    term: int
    apor: str
    load: AporLoad
    corrections: list[Correction]


@dataclass(frozen=True, slots=True)
class Answer:
    """A rate spread or NA, and in words why. rate: none for NA."""

    rate_spread: str
    week: Week | None
    asked: Mapping[str, str]

    @property
    def text(self) -> str:
        """How the answer came about, in one sentence."""
        if self.week is None:
            return (
                "A rate spread is reported for loans that are no reverse mortgage and were "
                "originated, or approved and not accepted (action taken 1, 2 and 8). This is none."
            )
        return (
            f"APR {self.asked['apr']} less {self.apor}, the {self.week.kind.label} APOR for "
            f"{self.term} year{'' if self.term == 1 else 's'} in the week of {self.week.monday}."
        )

    @property
    def term(self) -> int:
        return int(self.asked["loanTerm"])

    @property
    def apor(self) -> str:
        return self.week.rates[self.term - 1] if self.week else ""

    def rate(self) -> Rate | None:
        """Return what the answer rests on, with the rates that were corrected since."""
        if self.week is None:
            return None
        kind, monday, at = self.week.kind, self.week.monday, self.term - 1
        rows = AporWeek.objects.filter(kind=kind, week=monday).order_by("id")
        replaced = rows.exclude(replaced_by=None).select_related("load", "replaced_by")
        return Rate(
            table=str(kind.value),
            week=monday,
            term=self.term,
            apor=self.apor,
            load=AporLoad.objects.get(pk=self.week.load_id),
            corrections=[
                Correction(row.rates[at], row.load, row.replaced_by.loaded_at)
                for row in replaced
                if row.replaced_by
            ],
        )


def answer(asked: Mapping[str, str], apor: Apor) -> Answer:
    """Return the answer to one loan. asked: of each of NAMES its text.

    Raises: BadInput, naming what is wrong and what would be right.
    """
    texts = {name: [asked[name]] for name in NAMES}
    found = answers(pl.DataFrame(texts, schema=dict.fromkeys(NAMES, pl.String)), apor)
    row = found.row(0, named=True)
    if row["fault"] is not None:
        raise BadInput(_refusal(row["fault"], asked, apor))
    if row["answer"] == NA:
        return Answer(NA, None, asked)
    week = apor.week(_KINDS[asked["amortizationType"]], row["week"])
    return Answer(row["answer"], week, asked)


def _refusal(number: int, asked: Mapping[str, str], apor: Apor) -> str:
    fault = FAULTS[number]
    if number != NO_APOR:
        return f"{fault.name} {asked[fault.name][:60]!r} is not accepted: {fault.reason}."
    kind = _KINDS[asked["amortizationType"]]
    day = date.fromisoformat(asked["lockInDate"])
    week = day - timedelta(days=day.weekday())
    span = apor.span(kind)
    has = f"has weeks from {span[0]} to {span[1]}" if span else "is empty"
    return (
        f"There is no average prime offer rate for {asked['lockInDate']}, the week of {week}: "
        f"the table of {kind.label}s {has}."
    )
