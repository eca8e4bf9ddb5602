"""Filing years and periods: which there are, which rulebook each runs, and how far it is opened.

A year is a row of the database, which the service names as the source. A program without a
database knows the rulebooks that it was released with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import IntEnum
from types import MappingProxyType

# The rulebooks of this release: the data years whose filing instructions guide it follows. They
# begin with the first year of the present record (Regulation C, 12 CFR 1003.4).
RULEBOOKS = range(2018, 2027)
# Quarterly reporting began with the data of 2020 (Regulation C, 12 CFR 1003.5(a)(1)(ii)).
FIRST_QUARTERLY_YEAR = 2020
QUARTERS = (1, 2, 3)

# The months in which actions of a quarter are taken (Regulation C, 12 CFR 1003.5(a)(1)(ii)).
_QUARTER_BOUNDS = {1: ((1, 1), (3, 31)), 2: ((4, 1), (6, 30)), 3: ((7, 1), (9, 30))}
_TEXT = re.compile(r"(\d{4})(?:-Q([1-3]))?")


@dataclass(frozen=True, order=True, slots=True)
class Period:
    """A year of data, or a quarter of it: `Period(2024)` is annual, `Period(2024, 1)` is 2024-Q1.

    Raises: ValueError for a quarter other than 1, 2, and 3 (the annual file has the fourth).
    Source: Regulation C, 12 CFR 1003.5(a)(1)(i)-(ii).
    """

    year: int
    quarter: int | None = None

    def __post_init__(self) -> None:
        if self.quarter is not None and self.quarter not in QUARTERS:
            raise ValueError(f"Quarter {self.quarter} does not exist: quarters are 1, 2, and 3.")

    @classmethod
    def parse(cls, text: str) -> Period:
        """Return the period written as `2024` or `2024-Q1`.

        Raises: ValueError for any other text.
        """
        match = _TEXT.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no filing period: write 2024 or 2024-Q1.")
        year, quarter = match.groups()
        return cls(int(year), int(quarter) if quarter else None)

    @classmethod
    def of(cls, year: int, quarter_name: str) -> Period:
        """Return the period of a year and a `quarter_name`: `Q1`, or an empty text for the year."""
        return cls(year, int(quarter_name[1:]) if quarter_name else None)

    def __str__(self) -> str:
        return f"{self.year}-{self.quarter_name}" if self.quarter else str(self.year)

    @property
    def is_quarterly(self) -> bool:
        return self.quarter is not None

    @property
    def quarter_name(self) -> str:
        """`Q1`, `Q2`, `Q3`, or an empty text for the annual period."""
        return f"Q{self.quarter}" if self.quarter else ""

    @property
    def starts(self) -> date:
        """The first day on which an action of this period can be taken."""
        month, day = _QUARTER_BOUNDS[self.quarter][0] if self.quarter else (1, 1)
        return date(self.year, month, day)

    @property
    def ends(self) -> date:
        """The last day on which an action of this period can be taken."""
        month, day = _QUARTER_BOUNDS[self.quarter][1] if self.quarter else (12, 31)
        return date(self.year, month, day)


class YearStage(IntEnum):
    """How far a filing year is opened; each stage has what those before it have."""

    DRAFT = 1
    CHECKS = 2
    FILING = 3

    @property
    def label(self) -> str:
        return {1: "draft", 2: "checks", 3: "filing"}[self]

    @property
    def words(self) -> str:
        """What the stage means, as a sentence."""
        return {
            1: "Staff prepare it: only they see it.",
            2: "Anyone can check files and use its tools and templates, as a beta.",
            3: "Filing periods of it can be opened.",
        }[self]


class NoRulebookError(LookupError):
    """A year that is not prepared, or a quarter that does not exist: no rules for its files."""


@dataclass(frozen=True, slots=True)
class EditWithdrawal:
    """An edit that staff withdrew for a year: it is not run from that day on."""

    code: str
    since: date
    reason: str

    def __str__(self) -> str:
        """Return why the edit does not run, as a clause."""
        return f"withdrawn since {self.since.isoformat()}: {self.reason}"


@dataclass(frozen=True, slots=True)
class YearRules:
    """The rules of a filing year.

    rulebook: the released rules that it runs. stand_ins: by kind of reference data, the year whose
    file is used while this year has none of its own. withdrawals: by code. signing_waits_for: the
    values of `EditNeed` (in lower case) without which a file cannot be certified.
    """

    year: int
    rulebook: int
    stage: YearStage = YearStage.FILING
    stand_ins: Mapping[str, int] = field(default_factory=dict)
    withdrawals: Mapping[str, EditWithdrawal] = field(default_factory=dict)
    signing_waits_for: frozenset[str] = frozenset({"census"})

    @property
    def is_provisional(self) -> bool:
        """Whether the rules of an earlier year are run, until a release has those of this one."""
        return self.rulebook != self.year

    @property
    def rules_in_words(self) -> str:
        """Which rules are run: `the rules of 2026`, with `provisional` before if they stand in."""
        provisional = "provisional: " if self.is_provisional else ""
        return f"{provisional}the rules of {self.rulebook}"

    @property
    def rules_in_sentence(self) -> str:
        """The same within a sentence: what is used, or what a file was checked with."""
        return f"{'rules that are ' if self.is_provisional else ''}{self.rules_in_words}"

    @property
    def is_beta(self) -> bool:
        """Whether its files can be checked but not filed yet."""
        return self.stage < YearStage.FILING

    @property
    def label(self) -> str:
        """The year as a choice of a form: `2025`, or `2027 (beta)`."""
        return f"{self.year} (beta)" if self.is_beta else str(self.year)

    @property
    def notice(self) -> str:
        """What its users must know, in a sentence or two; blank of a year with rules of its own."""
        if not (self.is_beta or self.is_provisional):
            return ""
        later = " Files of this year can be checked, but not filed yet." if self.is_beta else ""
        return f"{self.label} uses {self.rules_in_sentence}.{later}"

    @property
    def as_json(self) -> dict[str, int | bool]:
        """Which rules are run, and whether the year is in beta."""
        return {"year": self.rulebook, "provisional": self.is_provisional, "beta": self.is_beta}


FilingYears = Mapping[int, YearRules]
RELEASED: FilingYears = MappingProxyType({year: YearRules(year, year) for year in RULEBOOKS})


def _released() -> FilingYears:
    return RELEASED


# Replaced by `use_source`.
_source: Callable[[], FilingYears] = _released
_today: Callable[[], date] = date.today


def use_source(read: Callable[[], FilingYears], *, today: Callable[[], date] = date.today) -> None:
    """Ask these functions for the filing years and the day from now on, instead of the released
    years and the day of this machine.
    """
    global _source, _today
    _source, _today = read, today


def copy_source() -> tuple[dict[int, YearRules], date]:
    """Return the filing years and the day that hold now, for another process."""
    return dict(_source()), _today()


def accept_later_years(last: int) -> None:
    """Know the years up to this one from now on; those after the last release run its rules.

    For programs without a service, which may be older than a file. Where a service named its
    years, they stay.
    """
    if _source is _released:
        newest = RULEBOOKS[-1]
        later = {year: YearRules(year, newest) for year in range(newest + 1, last + 1)}
        use_source(lambda: {**RELEASED, **later})


def filing_years() -> FilingYears:
    """Return every prepared year, ascending."""
    return _source()


def find_year(year: int) -> YearRules | None:
    """Return the rules of a year, if it is prepared."""
    return filing_years().get(year)


def unsettled_years(year: int | None = None) -> list[YearRules]:
    """Return the years for checks that are in beta or run rules of another; or this one of them."""
    every = [filing_years()[number] for number in supported_years()]
    return [rules for rules in every if rules.notice and year in {None, rules.year}]


def describe_unsettled(years: Collection[int] | None = None) -> list[str]:
    """Return what users of some years, or of all of them, must know about the rules, in words."""
    return [rules.notice for rules in unsettled_years() if years is None or rules.year in years]


def rulebook_member(year: int) -> dict[str, dict[str, int | bool]]:
    """Return the member `rulebook` of JSON about a year; empty of one with rules of its own."""
    unsettled = unsettled_years(year)
    return {"rulebook": unsettled[0].as_json} if unsettled else {}


def supported_years(stage: YearStage = YearStage.CHECKS) -> list[int]:
    """Return the years that have come at least to a stage, ascending."""
    return [year for year, rules in filing_years().items() if rules.stage >= stage]


def newest_year(stage: YearStage = YearStage.CHECKS) -> int:
    """Return the last year that has come at least to a stage."""
    return supported_years(stage)[-1]


def describe_years(stage: YearStage = YearStage.CHECKS) -> str:
    """Return which years have come at least to a stage: `2018 to 2024, 2026`."""
    runs: list[list[int]] = []
    for year in supported_years(stage):
        if runs and year == runs[-1][-1] + 1:
            runs[-1].append(year)
        else:
            runs.append([year])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def year_filed_on(day: date) -> int:
    """Return the year whose data are filed on a day: the year before, if it is supported.

    Source: Regulation C, 12 CFR 1003.5(a)(1)(i): data of a year are due on March 1 of the next.
    """
    years = supported_years(YearStage.FILING)
    return max(years[0], min(day.year - 1, years[-1]))


def is_supported(period: Period, stage: YearStage = YearStage.CHECKS) -> bool:
    """Return whether a period exists and its year has come at least to a stage."""
    rules = find_year(period.year)
    return rules is not None and rules.stage >= stage and period_exists(period)


def describe_supported(stage: YearStage = YearStage.CHECKS) -> str:
    """Return which years and quarters have come at least to a stage, in words."""
    return (
        f"years are {describe_years(stage)}, and quarters Q1, Q2 and Q3 from "
        f"{FIRST_QUARTERLY_YEAR} on"
    )


def describe_missing_rules(period: Period) -> str:
    """Return why no file of a period can be filed; a blank if its year is open for filing."""
    if is_supported(period, YearStage.FILING):
        return ""
    kind = "quarter" if period.is_quarterly else "year"
    if is_supported(period, YearStage.CHECKS):
        return f"The {kind} {period} is open for checks, and not for filing yet."
    years = describe_supported(YearStage.FILING)
    return f"The {kind} {period} has no rules to check files with: {years}."


def supported_periods() -> tuple[Period, ...]:
    """Return every period of the years whose files can be checked."""
    return _periods(supported_years(YearStage.CHECKS))


def rulebook_periods() -> tuple[Period, ...]:
    """Return every period of the released rulebooks."""
    return _periods(RULEBOOKS)


def rulebook_period(period: Period) -> Period:
    """Return the period whose released rules a period runs: itself, or that of an earlier year.

    Raises: NoRulebookError.
    """
    rules = find_year(period.year)
    if rules is None or not period_exists(period):
        kind = "quarter" if period.is_quarterly else "year"
        raise NoRulebookError(f"The {kind} {period} has no rulebook: {describe_supported()}.")
    return Period(rules.rulebook, period.quarter)


def years_that_run(rulebooks: Collection[int]) -> frozenset[int]:
    """Return the years whose files can be checked with one of these rulebooks."""
    return frozenset(
        rules.year
        for rules in filing_years().values()
        if rules.stage >= YearStage.CHECKS and rules.rulebook in rulebooks
    )


def find_withdrawals(year: int, today: date | None = None) -> dict[str, EditWithdrawal]:
    """Return the edits that are withdrawn for a year today, by code.

    today: the day in the filing time zone; if it is not given, that of the source of the years.
    """
    day, rules = today or _today(), find_year(year)
    each = rules.withdrawals.values() if rules else ()
    return {withdrawal.code: withdrawal for withdrawal in each if withdrawal.since <= day}


def period_exists(period: Period) -> bool:
    """Return whether there is such a period: there were no quarters before 2020."""
    return period.quarter is None or period.year >= FIRST_QUARTERLY_YEAR


def _periods(years: list[int] | range) -> tuple[Period, ...]:
    periods = (Period(year, quarter) for year in years for quarter in (None, *QUARTERS))
    return tuple(filter(period_exists, periods))
