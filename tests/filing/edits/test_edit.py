"""Edits as values: periods as data, codes and fields that exist."""

from __future__ import annotations

import pytest

from filing.edits import catalogue, engine
from filing.edits.edit import (
    Edit,
    EditKind,
    EditLevel,
    EditNeed,
    EditPeriods,
    RecordCount,
    annual_only,
    between,
    quarterly_only,
    since,
)
from filing.edits.facts import EditFacts
from filing.edits.vocabulary import one_of
from filing.lar.years import RULEBOOKS, Period, rulebook_periods
from tests.filing.edits.cases import ALIKE, facts

LAST = RULEBOOKS[-1]


def edit(**changes):
    value = {
        "code": "V617",
        "kind": EditKind.VALIDITY,
        "level": EditLevel.LAR,
        "periods": since(2018),
        "fields": ("loan_amount",),
        "text": "A sentence.",
        "holds": one_of("loan_type", 1),
    }
    return Edit(**(value | changes))


@pytest.mark.parametrize(
    ("periods", "annual", "quarterly"),
    [
        (since(2018), (2018, LAST), (2020, LAST)),
        (since(2022), (2022, LAST), (2022, LAST)),
        (between(2019, 2021), (2019, 2021), (2020, 2021)),
        (between(2018, 2019), (2018, 2019), None),
        (annual_only(2020, 2020), (2020, 2020), None),
        (quarterly_only(2018), None, (2020, LAST)),
    ],
)
def test_periods_are_written_by_their_years(periods, annual, quarterly):
    def years(pair):
        return set(range(pair[0], pair[1] + 1)) if pair else set()

    assert (periods.annual, periods.quarterly) == (years(annual), years(quarterly))


def test_periods_can_be_joined_and_know_what_lies_in_them():
    periods = annual_only(2018) + quarterly_only(2020, 2020) + quarterly_only(2024)
    assert Period(2022) in periods
    assert Period(2022, 1) not in periods
    assert Period(2024, 3) in periods
    assert str(periods) == f"annual 2018-{LAST}; quarterly 2020, 2024-{LAST}"
    assert str(EditPeriods()) == ""


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        (between(2018, 2020), since(2021), False),
        (between(2018, 2021), since(2021), True),
        (annual_only(2018), quarterly_only(2018), False),
    ],
)
def test_periods_overlap_where_one_period_lies_in_both(one, other, overlap):
    assert one.overlaps(other) is overlap
    assert other.overlaps(one) is overlap


def test_an_edit_knows_its_parent_and_when_it_runs():
    part = edit(code="V614-2", periods=between(2020, 2021))
    assert (part.parent, edit().parent) == ("V614", "V617")
    assert part.runs_in(Period(2021, 1))
    assert not part.runs_in(Period(2022))
    assert (part.annual, part.quarterly) == ({2020, 2021}, {2020, 2021})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"code": "Q600-warning"}, "'Q600-warning' is not an edit code"),
        ({"fields": ("loan_amount", "price")}, "V617 names unknown fields: price"),
        ({"level": EditLevel.FILE}, "an edit of the file has figures, and only such an edit"),
        ({"figures": {"loans": RecordCount()}}, "an edit of the file has figures"),
    ],
)
def test_an_edit_that_makes_no_sense_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        edit(**changes)


FILE, SHEET = "the whole file is needed", "the transmittal sheet is missing"
PANEL = "there is no panel record of the institution for the year"
CENSUS = "the census tracts of the year are not loaded"

# Level, what is missing, the edits that then are not run in one period or another.
NEEDS = {
    ("ts", PANEL): "Q303 S303",
    ("lar", SHEET): "Q647 S301",
    ("lar", CENSUS): "Q603 Q604 V625-2 V626 V627 V716",
    ("file", FILE): ("Q600 Q634 Q635 Q636 Q637 Q638 Q639 Q640 Q646 Q647 S304 S305 S306 S307"),
    ("file", SHEET): "Q600 Q647 S304",
}


def unready(
    period: Period, known: EditFacts, *, whole_file: bool
) -> dict[tuple[str, str], list[str]]:
    """Return the codes of the edits that are not run, by level and each of the reasons."""
    able, reasons = engine.find_ready_edits(
        catalogue.list_edits(period), known, whole_file=whole_file
    )
    found: dict[tuple[str, str], list[str]] = {}
    for edit, reason in reasons.items():
        assert edit not in able
        for each in reason.split("; "):
            found.setdefault((edit.level.value, each), []).append(edit.code)
    return found


def test_edits_name_all_that_they_need():
    found: dict[tuple[str, str], set[str]] = {}
    for period in rulebook_periods():
        for place, codes in unready(period, EditFacts(period), whole_file=False).items():
            found.setdefault(place, set()).update(codes)
    assert {place: " ".join(sorted(codes)) for place, codes in found.items()} == NEEDS


def test_what_is_known_does_not_keep_an_edit_from_running():
    for period in rulebook_periods():
        assert unready(period, facts(period), whole_file=True) == {}


@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_every_form_of_an_edit_needs_the_same(period):
    found = unready(period, EditFacts(period), whole_file=False)
    here = {edit.code for edit in catalogue.list_edits(period)}
    for (level, reason), codes in NEEDS.items():
        levels = {(edit.code, edit.level.value) for edit in catalogue.list_edits(period)}
        expected = [code for code in codes.split() if code in here and (code, level) in levels]
        assert sorted(found.get((level, reason), [])) == expected


def test_each_reason_is_named_once_and_in_the_order_of_the_needs():
    assert [need.value for need in EditNeed] == [CENSUS, PANEL, FILE, SHEET]
    (edit,) = [e for e in catalogue.list_edits(Period(2024)) if e.code == "Q647"]
    assert EditFacts(Period(2024)).lacks(edit) == f"{FILE}; {SHEET}"
    assert EditFacts(Period(2024)).lacks(edit, whole_file=True) == SHEET
    assert facts(Period(2024)).lacks(edit) == FILE
    assert facts(Period(2024)).lacks(edit, whole_file=True) == ""
