"""An edit: a frozen value with its periods, its text, and the condition of a correct record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from filing.edits.sentences import ColumnValue, Condition
from filing.edits.vocabulary import called
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME, WHOLE_ROW
from filing.lar.years import (
    FIRST_QUARTERLY_YEAR,
    RULEBOOKS,
    Period,
    rulebook_period,
    years_that_run,
)

_LAST = RULEBOOKS[-1]
CODE = re.compile(r"[SVQ]\d{3}(-\d)?")


class EditKind(Enum):
    SYNTACTICAL = "syntactical"
    VALIDITY = "validity"
    QUALITY = "quality"
    MACRO = "macro"


class EditLevel(Enum):
    """What an edit checks: the transmittal sheet, each record, or the file as a whole."""

    TS = "ts"
    LAR = "lar"
    FILE = "file"


class EditNeed(Enum):
    """What an edit needs beside the record; without it the edit does not run.

    The value is the reason to report if it is missing.
    """

    CENSUS = "the census tracts of the year are not loaded"
    INSTITUTION = "there is no panel record of the institution for the year"
    OTHER_ROWS = "the whole file is needed"
    TS = "the transmittal sheet is missing"


@dataclass(frozen=True, slots=True)
class EditPeriods:
    """The years in which an edit runs, of annual and of quarterly filing."""

    annual: frozenset[int] = frozenset()
    quarterly: frozenset[int] = frozenset()

    def __contains__(self, period: Period) -> bool:
        return period.year in (self.quarterly if period.is_quarterly else self.annual)

    def __add__(self, other: EditPeriods) -> EditPeriods:
        return EditPeriods(self.annual | other.annual, self.quarterly | other.quarterly)

    def __str__(self) -> str:
        annual, quarterly = _ranges(self.annual), _ranges(self.quarterly)
        parts = [
            f"annual {annual}" if annual else "",
            f"quarterly {quarterly}" if quarterly else "",
        ]
        return "; ".join(part for part in parts if part)

    def overlaps(self, other: EditPeriods) -> bool:
        """Return whether the two have a period in common."""
        return bool(self.annual & other.annual or self.quarterly & other.quarterly)


def years(first: int, last: int = _LAST) -> frozenset[int]:
    """Return the years from the first to the last, both included."""
    return frozenset(range(first, last + 1))


def annual_only(first: int, last: int = _LAST) -> EditPeriods:
    """Return the annual periods of these years."""
    return EditPeriods(annual=years(first, last))


def quarterly_only(first: int, last: int = _LAST) -> EditPeriods:
    """Return the quarterly periods of these years."""
    return EditPeriods(quarterly=years(max(first, FIRST_QUARTERLY_YEAR), last))


def between(first: int, last: int) -> EditPeriods:
    """Return the annual periods of these years, and their quarterly periods if any."""
    return annual_only(first, last) + quarterly_only(first, last)


def since(first: int) -> EditPeriods:
    """Return every released period from this year on."""
    return between(first, _LAST)


@dataclass(frozen=True, slots=True, eq=False)
class RecordCount:
    """A figure of a file: the number of its records for which the condition holds."""

    where: Condition | None = None

    @property
    def words(self) -> str:
        """The figure in words."""
        if self.where is None:
            return "the number of records"
        return f"the number of records for which {self.where.words}"


@dataclass(frozen=True, slots=True, eq=False)
class RepeatCount:
    """A figure of a file: the number of its records that repeat an earlier one.

    of: the value that they repeat; it must contain the ULI, because only records with the same ULI
    are compared. where: the records to compare (all without a condition).
    """

    of: ColumnValue
    where: Condition | None = None

    @property
    def words(self) -> str:
        """The figure in words."""
        among = f", among those for which {self.where.words}," if self.where else ""
        return f"the number of records{among} that repeat {self.of.words} of an earlier one"


@dataclass(frozen=True, slots=True)
class KnownFigure:
    """A figure known before the file is read: the name of a fact, or the number of a limit."""

    value: str | int

    @property
    def words(self) -> str:
        """The figure in words."""
        return f"{self.value:,}" if isinstance(self.value, int) else called(self.value)


Figure = RecordCount | RepeatCount | KnownFigure


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """One edit in some periods.

    code: as published; a part of an edit has its number after a hyphen. fields: the columns that
    the bureau lists, in this order. text: the rule in a sentence, with the field names of the
    guide. holds: the same as an expression, true or false on every row; it never asks for the year:
    yearly values are columns (see `facts`). breaks: values that make the edit fail in a correct
    record (see `examples`); in an edit of loans, `ts.` leads the name of a column of the
    transmittal sheet. If every readable value passes, it is one that cannot be read. figures: only
    of an edit of the file; `holds` is then about a single row with these columns. computed: only of
    a macro edit, its figures in words, as a template.
    Raises: ValueError when code, fields or figures do not fit.
    """

    code: str
    kind: EditKind
    level: EditLevel
    periods: EditPeriods
    fields: tuple[str, ...]
    text: str
    holds: Condition
    needs: frozenset[EditNeed] = frozenset()
    breaks: Mapping[str, str | int] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    computed: str = ""

    def __post_init__(self) -> None:
        if not CODE.fullmatch(self.code):
            raise ValueError(f"{self.code!r} is not an edit code.")
        if unknown := set(self.fields) - {WHOLE_ROW, *LAR_BY_NAME, *TS_BY_NAME}:
            raise ValueError(f"{self.code} names unknown fields: {', '.join(sorted(unknown))}.")
        if bool(self.figures) != (self.level is EditLevel.FILE):
            raise ValueError(
                f"{self.code}: an edit of the file has figures, and only such an edit."
            )
        if bool(self.computed) != (self.kind is EditKind.MACRO):
            raise ValueError(
                f"{self.code}: a macro edit has its figures in words, and only such an edit."
            )

    @property
    def parent(self) -> str:
        """The code without the number of the part."""
        return self.code.partition("-")[0]

    @property
    def rule(self) -> str:
        """The condition that is checked, in words."""
        words = _with_figures(self.holds.words, self.figures) if self.figures else self.holds.words
        return f"{words[0].upper()}{words[1:]}."

    @property
    def annual(self) -> frozenset[int]:
        """The years of annual filing in which the edit runs."""
        return self.periods.annual

    @property
    def quarterly(self) -> frozenset[int]:
        """The years of quarterly filing in which the edit runs."""
        return self.periods.quarterly

    def runs_in(self, period: Period) -> bool:
        """Return whether the edit runs in a filing period, by the rulebook of that period.

        Raises: NoRulebookError.
        """
        return rulebook_period(period) in self.periods

    def filing_periods(self) -> EditPeriods:
        """Return the periods that filers can check: also of years that run an earlier rulebook."""
        return EditPeriods(years_that_run(self.annual), years_that_run(self.quarterly))


def _with_figures(words: str, figures: Mapping[str, Figure]) -> str:
    """Return words with the figures filled in; those that need a clause are described after."""
    clauses = {
        name: figure.words
        for name, figure in figures.items()
        if isinstance(figure, RepeatCount) or (isinstance(figure, RecordCount) and figure.where)
    }
    names = {name: name.replace("_", " ") for name in clauses}
    sentence = words.format_map({name: figures[name].words for name in figures} | names)
    descriptions = [f"{names[name]} is {clause}" for name, clause in clauses.items()]
    return f"{sentence}, where {'; '.join(descriptions)}" if descriptions else sentence


def _ranges(numbers: frozenset[int]) -> str:
    """Return the years as text, runs of them joined: `2018-2020, 2022`."""
    firsts = sorted(year for year in numbers if year - 1 not in numbers)
    lasts = sorted(year for year in numbers if year + 1 not in numbers)
    pairs = zip(firsts, lasts, strict=True)
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in pairs)
