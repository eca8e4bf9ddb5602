"""What edits need to know beside the record: without it they are not run, and say why."""

import pytest

from filing.edits import catalogue, engine
from filing.edits.edit import Need
from filing.edits.facts import Facts
from filing.lar.period import Period
from filing.lar.years import rulebook_periods
from tests.filing.edits.cases import ALIKE, facts

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


def unready(period: Period, known: Facts, *, whole_file: bool) -> dict[tuple[str, str], list[str]]:
    """Return the codes of the edits that are not run, by level and each of the reasons."""
    able, reasons = engine.ready(catalogue.edits(period), known, whole_file=whole_file)
    found: dict[tuple[str, str], list[str]] = {}
    for edit, reason in reasons.items():
        assert edit not in able
        for each in reason.split("; "):
            found.setdefault((edit.level.value, each), []).append(edit.code)
    return found


def test_edits_name_all_that_they_need():
    found: dict[tuple[str, str], set[str]] = {}
    for period in rulebook_periods():
        for place, codes in unready(period, Facts(period), whole_file=False).items():
            found.setdefault(place, set()).update(codes)
    assert {place: " ".join(sorted(codes)) for place, codes in found.items()} == NEEDS


def test_what_is_known_does_not_keep_an_edit_from_running():
    for period in rulebook_periods():
        assert unready(period, facts(period), whole_file=True) == {}


@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_every_form_of_an_edit_needs_the_same(period):
    found = unready(period, Facts(period), whole_file=False)
    here = {edit.code for edit in catalogue.edits(period)}
    for (level, reason), codes in NEEDS.items():
        levels = {(edit.code, edit.level.value) for edit in catalogue.edits(period)}
        expected = [code for code in codes.split() if code in here and (code, level) in levels]
        assert sorted(found.get((level, reason), [])) == expected


def test_each_reason_is_named_once_and_in_the_order_of_the_needs():
    assert [need.value for need in Need] == [CENSUS, PANEL, FILE, SHEET]
    (edit,) = [e for e in catalogue.edits(Period(2024)) if e.code == "Q647"]
    assert Facts(Period(2024)).lacks(edit) == f"{FILE}; {SHEET}"
    assert Facts(Period(2024)).lacks(edit, whole_file=True) == SHEET
    assert facts(Period(2024)).lacks(edit) == FILE
    assert facts(Period(2024)).lacks(edit, whole_file=True) == ""
