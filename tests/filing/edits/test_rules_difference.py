"""What the rules of another year find in a file, edit by edit."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from filing.edits import catalogue
from filing.edits.edit import EditLevel
from filing.edits.facts import EditFacts
from filing.edits.rules_difference import ResultChange, RulesDifference, compare_rules
from filing.lar import years
from filing.lar.years import EditWithdrawal, NoRulebookError, Period, YearRules, YearStage
from tests.filing.edits.files import run, write

EXEMPT = {"total_points_and_fees": "Exempt"}
OLD = (date(2020, 1, 1), "The rule is wrong.")


def changes(found: RulesDifference) -> dict[str, str]:
    return {edit.code: edit.change.value for edit in found.listed}


def totals(path: Path, facts: EditFacts) -> dict[str, int]:
    """Return what a run of all edits of these facts finds, by code."""
    found: dict[str, int] = defaultdict(int)
    for outcome in run(path, facts).report.outcomes:
        found[outcome.edit.code] += outcome.total
    return found


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    """2027 runs the rules of 2026; one edit is withdrawn in each of the two years."""
    known = {
        2026: withdrawn(2026, 2026, "V620"),
        2027: withdrawn(2027, 2026, "V611"),
        2028: YearRules(2028, 2026, YearStage.DRAFT),
        2029: YearRules(2029, 2026),
    }
    monkeypatch.setattr(years, "_source", lambda: MappingProxyType(years.RELEASED | known))


def withdrawn(year: int, rulebook: int, code: str) -> YearRules:
    return YearRules(year, rulebook, withdrawals={code: EditWithdrawal(code, *OLD)})


@pytest.mark.parametrize(
    ("period", "other"),
    [("2024", 2025), ("2025", 2024), ("2018", 2026), ("2026", 2018), ("2024-Q1", 2022)],
)
def test_the_difference_is_that_of_two_whole_runs(tmp_path, period, other):
    path = tmp_path / "lar.txt"
    spoiled = [{}, EXEMPT, {"loan_type": 9}, {"income": "-1"}, {"uli": "X"}, {"state": "ZZ"}]
    facts = write(path, Period.parse(period), spoiled, federal_agency=7)
    found = compare_rules(path, facts, other)
    was, now = totals(path, facts), totals(path, replace(facts, rules_year=other))
    assert found.edits
    for edit in found.edits:
        assert (edit.before.total if edit.before else 0) == was.pop(edit.code, 0)
        assert (edit.after.total if edit.after else 0) == now.pop(edit.code, 0)
    assert was == now
    assert (len(was), found.other_year) == (found.unchanged, other)


def test_macro_edits_that_became_quality_edits_are_counted_by_record(tmp_path):
    path = tmp_path / "lar.txt"
    facts = write(path, Period(2024), [{}, EXEMPT, EXEMPT])
    found = compare_rules(path, facts, 2025)
    assert changes(found) == {"Q646": "changed"}
    (edit,) = found.listed
    assert (str(edit.before), str(edit.after)) == ("macro, whole file", "quality, 2 records")
    assert edit.asks_more


@pytest.mark.parametrize(
    ("period", "other", "change", "asks_more"),
    [(2024, 2025, "new", True), (2025, 2024, "gone", False)],
)
def test_an_edit_of_one_year_alone_is_new_or_gone(tmp_path, period, other, change, asks_more):
    path = tmp_path / "lar.txt"
    broken = catalogue.find_edit("V695-3", Period(2025), EditLevel.LAR).breaks
    found = compare_rules(path, write(path, Period(period), [broken]), other)
    (edit,) = (edit for edit in found.edits if edit.code == "V695-3")
    assert (edit.change, edit.asks_more) == (change, asks_more)


def test_lines_that_cannot_be_read_leave_edits_of_the_whole_file_uncompared(tmp_path):
    path = tmp_path / "lar.txt"
    facts = write(path, Period(2024), [{}, EXEMPT])
    path.write_text(path.read_text() + "2|three|fields\n")
    unreadable = np.array([3], np.uint32)
    found = compare_rules(path, facts, 2025, unreadable=unreadable)
    assert changes(found) == {"Q646": "not-run", "Q647": "not-run"}


def test_a_year_with_the_same_rules_is_not_run(tmp_path, prepared):
    found = compare_rules(tmp_path / "no-file", EditFacts(Period(2028)), 2029)
    assert (found.is_same_rulebook, found.edits) == (True, ())


def test_an_edit_that_is_withdrawn_in_one_year_is_run_in_the_other(tmp_path, prepared):
    path = tmp_path / "lar.txt"
    facts = write(path, Period(2026), [{"loan_type": 9}, {"street": ""}, {"street": ""}])
    found = compare_rules(path, facts, 2027)
    assert found.is_same_rulebook
    sides = {edit.code: (edit.before, edit.after) for edit in found.edits}
    assert changes(found) == {"V611": ResultChange.NOT_RUN, "V620": ResultChange.NOT_RUN}
    assert [(side.total, bool(side.reason)) for side in sides["V611"]] == [(1, False), (0, True)]
    assert [(side.total, bool(side.reason)) for side in sides["V620"]] == [(0, True), (2, False)]


@pytest.mark.parametrize(("period", "other"), [("2024-Q1", 2019), ("2024", 2017), ("2024", 2040)])
def test_a_year_without_rules_is_refused(tmp_path, period, other):
    with pytest.raises(NoRulebookError):
        compare_rules(tmp_path / "lar.txt", EditFacts(Period.parse(period)), other)
