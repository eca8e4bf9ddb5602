"""No module names a last year, or a range of filing years, but the rules and the places listed.

Which years there are is asked of `filing.lar.years`. A number from 2018 on in the code of the
service, and a range of years or a year of no rulebook in its texts, is a rule with its source, an
example of a form, or made-up data; else it grows wrong with the next year. `docs/answers.md` has
the same list.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from filing.edits import catalogue
from filing.lar.years import RULEBOOKS
from tests.tree import APPS, ROOT, content_of, modules

# By file: the years that it may name, and why they stay.
STAY = {
    "filing/lar/years.py": "the released rulebooks: the one place of their range; "
    "Regulation C, 12 CFR 1003.5(a)(1)(ii): the first year of quarters",
    "filing/models/filing_years.py": "thresholds by year, with the Federal Register's amounts; the "
    "reference data that stood in for those of 2026",
    "filing/submissions/rules_run.py": "the rulebooks of the releases that did not record which "
    "rules they ran: a fact of the past",
    "filing/reference/census.py": "the flat files with the layout of the 2010 census",
    "filing/spreadsheets/code_texts.py": "the guides: the first years of codes",
    "filing/demo/files/pools.py": "the guides: the first years of codes, in made-up files",
    "databrowser/pages/definition_changes.py": "changes of Regulation C and of counties, with the "
    "day of each and its source",
    "databrowser/publication/records/places.py": "the first loan limits by Connecticut's planning "
    "regions",
    "databrowser/charts/atlas.py": "the first data years of counties that replaced others, in "
    "Alaska and Connecticut",
    "publicapi/coverage/rules.py": "a threshold that a court took back for years of the past, with "
    "the Federal Register's pages",
    "databrowser/season_clock/views.py": "an example of an answer",
    "config/environment.py": "an example of the form of BROWSER_YEARS, in a refusal",
    "config/settings.py": "the default of BROWSER_YEARS, a setting of the site",
    "databrowser/api/openapi.py": "the default of BROWSER_YEARS, in an example of a refusal",
    "databrowser/modified_lars/openapi.py": "an example of a refusal",
    "databrowser/changes/feeds.py": "the identifiers of entries of feeds, which never change",
    "graphs/demo/facts.py": "made-up trends begin in a year",
    "ratespread/demo/loading.py": "weeks of a made-up table of rates",
}
RULES = "filing/edits/"  # which say themselves in which years they run: see below
YEARS = range(2018, 2048)  # and no power of two
_RANGE = re.compile(r"\b20[1-9]\d\s*(?:-|to|through|until)\s*20[1-9]\d\b(?!-\d)")
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d|\b[A-Z][a-z]+ \d\d?, 20\d\d")
_YEAR = re.compile(r"\b20[2-9]\d\b")
SOURCES = dict(modules())


def stale_texts(text: str) -> Iterator[str]:
    """Yield the ranges of years in a text, and the years that no released rulebook is of."""
    yield from _RANGE.findall(text)
    for year in _YEAR.findall(_DAY.sub("", text)):
        if int(year) >= RULEBOOKS[-1]:
            yield year


def named_years(path: Path) -> list[str]:
    """Return the years that the code of a module names, each with its line."""
    found = []
    for line, value in content_of(path).values:
        if type(value) is int and value in YEARS:
            found.append(f"line {line}: {value}")
        if isinstance(value, str):
            found += [f"line {line}: {text}" for text in stale_texts(value)]
    return found


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_module_names_a_year_but_those_listed_with_their_reason() -> None:
    naming = {place(path): years for path in SOURCES.values() if (years := named_years(path))}
    others = {name: years for name, years in naming.items() if not name.startswith(RULES)}
    assert {name: years for name, years in others.items() if name not in STAY} == {}
    assert set(STAY) - set(others) == set(), "These name none any more: take them off the list."


def test_no_page_and_no_script_names_a_range_of_years() -> None:
    found = {
        place(path): list(stale_texts(path.read_text()))
        for folder in ("templates", *APPS)
        for kind in ("html", "txt", "js", "json", "yaml")
        for path in (ROOT / folder).rglob(f"*.{kind}")
        if not {"vendor", "recorded", "node_modules"} & set(path.parts)
    }
    assert {name: years for name, years in found.items() if years} == {}


def test_only_an_edit_that_ended_before_the_newest_rulebook_names_its_last_year() -> None:
    last = RULEBOOKS[-1]
    calls = ("between", "annual_only", "quarterly_only", "years")
    named = [
        f"{place(path)} line {node.lineno}"
        for path in SOURCES.values()
        if place(path).startswith(RULES)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in calls
        for given in [*node.args, *(keyword.value for keyword in node.keywords)][1:]
        if isinstance(given, ast.Constant) and given.value >= last
    ]
    assert named == []
    assert max(year for edit in catalogue.EDITS for year in edit.annual) == last
