"""The years that a site takes, as it lists them, and the rules that it checks them with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from filing.client.calls import Connection, Trouble
from filing.client.patience import patiently
from filing.lar.period import Period
from filing.lar.years import YearRules

PERIODS = "/v2/filing/periods"
_PATIENCE = 20.0  # seconds
_OPEN = "filing"  # the stage of a year of which periods can be opened


@dataclass(frozen=True, slots=True)
class SiteYears:
    """What a site says about its years; nothing, if it is too old to say it.

    stages: by year, how far it is opened. rulebooks: by year, the year of its rules.
    """

    stages: Mapping[int, str] = field(default_factory=dict)
    rulebooks: Mapping[int, int] = field(default_factory=dict)

    def refusal(self, period: Period) -> str:
        """Return why the site takes no file of a period; blank if it may take one."""
        years = [year for year, stage in self.stages.items() if stage == _OPEN]
        is_later = bool(years) and period.year > max(years)
        if self.stages.get(period.year, _OPEN) == _OPEN and not is_later:
            return ""
        accepted = f": it takes {min(years)} to {max(years)}" if years else ""
        return f"The site takes no files of {period} yet{accepted}. Nothing was sent."

    def notice(self, year: int) -> str:
        """Return which rules the site checks files of a year with; blank if those of the year."""
        rulebook = self.rulebooks.get(year, year)
        if rulebook == year:
            return ""
        rules = YearRules(year, rulebook).rules_in_sentence
        return f"The site checks files of {year} with {rules}."

    def rulebook(self, year: int) -> dict[str, Any] | None:
        """Return the rules of a year, as the JSON about a file has them; None if the site does not
        say which.
        """
        if year not in self.rulebooks:
            return None
        rulebook = self.rulebooks[year]
        return {"year": rulebook, "provisional": rulebook != year}


def ask(url: str) -> SiteYears:
    """Return what a site says; nothing if it has no such list or does not respond."""
    try:
        with Connection(url) as connection:
            body = patiently(partial(connection.call, "GET", PERIODS), patience=_PATIENCE).body
        return _read([*body["periods"], *body.get("years", ())])
    except (Trouble, LookupError, TypeError, ValueError):
        return SiteYears()  # what is sent next tells what is wrong


def _read(entries: list[dict[str, Any]]) -> SiteYears:
    stages, rulebooks = {}, {}
    for entry in entries:
        year = int(entry["year"])
        stages[year] = str(entry["stage"])
        rulebooks[year] = int(entry["rulebook"])
    return SiteYears(stages, rulebooks)
