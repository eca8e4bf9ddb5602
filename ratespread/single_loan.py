"""The rate spread of one loan, and how it is computed."""

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
    """A rate that was in use before, and until when."""

    apor: str
    load: AporLoad
    until: datetime


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate used. table: fixed or variable. week: its Monday. term: in years."""

    table: str
    week: date
    term: int
    apor: str
    load: AporLoad
    corrections: list[Correction]


@dataclass(frozen=True, slots=True)
class Answer:
    """A rate spread or NA, with the loan and the week of the rate. week: None for NA."""

    rate_spread: str
    week: Week | None
    loan: Mapping[str, str]

    @property
    def text(self) -> str:
        """How the answer was computed, in one sentence."""
        if self.week is None:
            return (
                "A rate spread is reported only for loans originated, or approved but not accepted "
                "(action taken 1, 2 and 8), that are not reverse mortgages."
            )
        return (
            f"APR {self.loan['apr']} less {self.apor}, the {self.week.kind.label} APOR for "
            f"{self.term} year{'' if self.term == 1 else 's'} in the week of {self.week.monday}."
        )

    @property
    def term(self) -> int:
        return int(self.loan["loanTerm"])

    @property
    def apor(self) -> str:
        return self.week.rates[self.term - 1] if self.week else ""

    def rate(self) -> Rate | None:
        """Return the rate used, with earlier rates that it corrected; None for NA."""
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


def answer(loan: Mapping[str, str], apor: Apor) -> Answer:
    """Return the answer for one loan. loan: the text of each of NAMES.

    Raises: BadInput, naming what is wrong and what is accepted.
    """
    texts = {name: [loan[name]] for name in NAMES}
    results = answers(pl.DataFrame(texts, schema=dict.fromkeys(NAMES, pl.String)), apor)
    row = results.row(0, named=True)
    if row["fault"] is not None:
        raise BadInput(_refusal(row["fault"], loan, apor))
    if row["answer"] == NA:
        return Answer(NA, None, loan)
    week = apor.week(_KINDS[loan["amortizationType"]], row["week"])
    return Answer(row["answer"], week, loan)


def _refusal(number: int, loan: Mapping[str, str], apor: Apor) -> str:
    fault = FAULTS[number]
    if number != NO_APOR:
        return f"{fault.name} {loan[fault.name][:60]!r} is not accepted: {fault.reason}."
    kind = _KINDS[loan["amortizationType"]]
    day = date.fromisoformat(loan["lockInDate"])
    week = day - timedelta(days=day.weekday())
    span = apor.span(kind)
    has = f"has weeks from {span[0]} to {span[1]}" if span else "is empty"
    return (
        f"There is no average prime offer rate for {loan['lockInDate']}, the week of {week}: "
        f"the table of {kind.label}s {has}."
    )
