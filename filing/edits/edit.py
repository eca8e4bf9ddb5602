"""What an edit is: a frozen value that says when it runs and what a correct record looks like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from filing.edits.sentences import Condition, Value
from filing.edits.vocabulary import called
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME, WHOLE_ROW
from filing.lar.period import FIRST_QUARTERLY_YEAR, LAST_YEAR, Period

CODE = re.compile(r"[SVQ]\d{3}(-\d)?")


class Kind(Enum):
    SYNTACTICAL = "syntactical"
    VALIDITY = "validity"
    QUALITY = "quality"
    MACRO = "macro"


class Level(Enum):
    """What an edit looks at: the transmittal sheet, one loan at a time, or the file as a whole."""

    TS = "ts"
    LAR = "lar"
    FILE = "file"


class Need(Enum):
    """What an edit must know beside the record; without it the edit does not run.

    The value is the reason given when it is missing.
    """

    CENSUS = "the census tracts of the year are not loaded"
    INSTITUTION = "the institution is not in the panel of the year"
    OTHER_ROWS = "the whole file is needed"
    TS = "the transmittal sheet is missing"


@dataclass(frozen=True, slots=True)
class Periods:
    """The years in which an edit runs, of annual and of quarterly filing."""

    annual: frozenset[int] = frozenset()
    quarterly: frozenset[int] = frozenset()

    def __contains__(self, period: Period) -> bool:
        return period.year in (self.quarterly if period.is_quarterly else self.annual)

    def __add__(self, other: Periods) -> Periods:
        return Periods(self.annual | other.annual, self.quarterly | other.quarterly)

    def __str__(self) -> str:
        annual, quarterly = _ranges(self.annual), _ranges(self.quarterly)
        parts = [
            f"annual {annual}" if annual else "",
            f"quarterly {quarterly}" if quarterly else "",
        ]
        return "; ".join(part for part in parts if part)

    def overlaps(self, other: Periods) -> bool:
        """Return whether some period lies in both."""
        return bool(self.annual & other.annual or self.quarterly & other.quarterly)


def years(first: int, last: int = LAST_YEAR) -> frozenset[int]:
    """Return the years from the first to the last, both included."""
    return frozenset(range(first, last + 1))


def annual_only(first: int, last: int = LAST_YEAR) -> Periods:
    """Return the annual periods of these years."""
    return Periods(annual=years(first, last))


def quarterly_only(first: int, last: int = LAST_YEAR) -> Periods:
    """Return the quarterly periods of these years."""
    return Periods(quarterly=years(max(first, FIRST_QUARTERLY_YEAR), last))


def between(first: int, last: int) -> Periods:
    """Return the annual periods of these years, and the quarterly ones as far as they exist."""
    return annual_only(first, last) + quarterly_only(first, last)


def since(first: int) -> Periods:
    """Return every period from this year on."""
    return between(first, LAST_YEAR)


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """A figure of a file: how many of its loans there are for which the condition holds."""

    where: Condition | None = None

    @property
    def words(self) -> str:
        """What is counted, in words."""
        return f"the rows on which {self.where.words}" if self.where else "all rows"


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """A figure of a file: how many of its loans say again what an earlier one said.

    of: what they say; it must contain the ULI, because only loans of one ULI are compared.
    where: the loans that are looked at (all when there is no condition).
    """

    of: Value
    where: Condition | None = None

    @property
    def words(self) -> str:
        """What is counted, in words."""
        among = f" on which {self.where.words}" if self.where else ""
        return f"the rows{among} that repeat {self.of.words} of an earlier one"


@dataclass(frozen=True, slots=True)
class Given:
    """A figure that is known before the file is read: a fact's name, or the number of a limit."""

    value: str | int

    @property
    def words(self) -> str:
        """What is given, in words."""
        return str(self.value) if isinstance(self.value, int) else called(self.value)


Figure = Count | Repeats | Given


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """One edit as it stands in some periods.

    code: as published; a part of an edit has its number after a hyphen. fields: the columns shown
    to the filer, in this order. text: what is asked of a correct record. holds: the same as an
    expression, true or false on every row; it never asks for the year, what changes yearly is a
    column (see `facts`). breaks: values that make the edit fail when they are put into a correct
    record (see `examples`); the name of a transmittal-sheet column is led by `ts.` in an edit of
    loans. Where every value that can be read passes, it is one that cannot. figures: only of an
    edit of the file; `holds` is then about a single row with these columns. computed: only of a
    macro edit, what its figures say, as a template in their names.
    Raises: ValueError when code, fields or figures do not fit.
    """

    code: str
    kind: Kind
    level: Level
    periods: Periods
    fields: tuple[str, ...]
    text: str
    holds: Condition
    needs: frozenset[Need] = frozenset()
    breaks: Mapping[str, str | int] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    computed: str = ""

    def __post_init__(self) -> None:
        if not CODE.fullmatch(self.code):
            raise ValueError(f"{self.code!r} is no code of an edit.")
        known = {WHOLE_ROW, *LAR_BY_NAME, *TS_BY_NAME}
        if unknown := set(self.fields) - known:
            raise ValueError(f"{self.code} names unknown fields: {', '.join(sorted(unknown))}.")
        if bool(self.figures) != (self.level is Level.FILE):
            raise ValueError(
                f"{self.code}: an edit of the file has figures, and only such an edit."
            )
        if bool(self.computed) != (self.kind is Kind.MACRO):
            raise ValueError(f"{self.code}: a macro edit says its figures, and only such an edit.")

    @property
    def parent(self) -> str:
        """The code without the number of the part."""
        return self.code.partition("-")[0]

    @property
    def rule(self) -> str:
        """The very condition that is checked, in words."""
        words = self.holds.words
        figures = "; ".join(
            f"{name.replace('_', ' ')}: {figure.words}" for name, figure in self.figures.items()
        )
        sentence = f"{words}, where {figures}" if figures else words
        return f"{sentence[0].upper()}{sentence[1:]}."

    @property
    def annual(self) -> frozenset[int]:
        """The years of annual filing in which the edit runs."""
        return self.periods.annual

    @property
    def quarterly(self) -> frozenset[int]:
        """The years of quarterly filing in which the edit runs."""
        return self.periods.quarterly

    def runs_in(self, period: Period) -> bool:
        """Return whether the edit is part of the rulebook of the period."""
        return period in self.periods


def _ranges(some: frozenset[int]) -> str:
    """Return the years as text, runs of them joined: `2018-2020, 2022`."""
    firsts = sorted(year for year in some if year - 1 not in some)
    lasts = sorted(year for year in some if year + 1 not in some)
    pairs = zip(firsts, lasts, strict=True)
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in pairs)
