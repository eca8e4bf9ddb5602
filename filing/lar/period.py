"""A filing period: one data year, or one of its first three quarters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

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
