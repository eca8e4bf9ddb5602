"""What the rules of another year find in a file, edit by edit."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from filing.edits import catalogue
from filing.edits.edit import EditLevel
from filing.edits.facts import EditFacts
from filing.edits.rules_difference import RulesDifference, compare_rules
from filing.lar.years import NoRulebookError, Period
from tests.filing.edits.files import run, write

EXEMPT = {"total_points_and_fees": "Exempt"}


def changes(found: RulesDifference) -> dict[str, str]:
    return {edit.code: edit.change.value for edit in found.listed}


def totals(path: Path, facts: EditFacts) -> dict[str, int]:
    """Return what a run of all edits of these facts finds, by code."""
    found: dict[str, int] = defaultdict(int)
    for outcome in run(path, facts).report.outcomes:
        found[outcome.edit.code] += outcome.total
    return found


@pytest.mark.parametrize(
    ("period", "other"),
    [("2024", 2025), ("2026", 2018), ("2024-Q1", 2022)],
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


@pytest.mark.parametrize(("period", "other"), [("2024-Q1", 2019), ("2024", 2017), ("2024", 2040)])
def test_a_year_without_rules_is_refused(tmp_path, period, other):
    with pytest.raises(NoRulebookError):
        compare_rules(tmp_path / "lar.txt", EditFacts(Period.parse(period)), other)
