"""Edits as values: periods as data, codes and fields that exist."""

from __future__ import annotations

import pytest

from filing.edits import catalogue, engine
from filing.edits.edit import (
    Edit,
    EditKind,
    EditLevel,
    RecordCount,
    annual_only,
    between,
    quarterly_only,
    since,
)
from filing.edits.facts import EditFacts
from filing.edits.vocabulary import one_of
from filing.lar.years import Period, rulebook_periods


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
