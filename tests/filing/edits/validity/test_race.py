"""Validity edits of the race of applicant and co-applicant, and of how it was collected."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import race
from tests.filing.edits.cases import verdicts, without_case


def own(*codes, by=2, native="", asian="", pacific=""):
    """Return these races of the applicant, the others blank, and how they were collected."""
    filled = (*codes, 0, 0, 0, 0, 0)[:5]
    return {f"applicant_race_{i}": code for i, code in enumerate(filled, start=1)} | {
        "applicant_race_observed": by,
        "applicant_race_native_free_form": native,
        "applicant_race_asian_free_form": asian,
        "applicant_race_pacific_free_form": pacific,
    }


def co(*codes, **others):
    return {f"co_{name}": value for name, value in own(*codes, **others).items()}


CASES = [
    ("V635-1", "2024", own(27), own()),
    ("V635-1", "2024", own(44), own(45)),
    ("V635-1", "2024", own(7), own(8)),
    ("V635-1", "2018", own(native="Other"), own(-1)),
    # Whatever stands first, a free-form entry excuses it.
    ("V635-1", "2024", own(99, asian="Other"), own(99)),
    ("V635-1", "2024", own(8, pacific="Other"), own(0, 5)),
    ("V635-2", "2024", own(5, 1, 2, 21, 27), own(5, 6)),
    ("V635-2", "2024", own(5, 0, 44), own(5, 0, 7)),
    ("V635-2", "2024", own(99), own(5, 0, 0, 8)),
    ("V635-2", "2024", own(5, 0, 0, 0, 5), own(5, 0, 0, 0, 99, asian="Other")),
    ("V635-3", "2024", own(1, 2, 21, 22, 3), own(1, 2, 21, 22, 1)),
    ("V635-3", "2024", own(99, 99), own(0, 0, 41, 41)),
    # Code 8 is known, although it is no code of an applicant.
    ("V635-3", "2024", own(9, 9), own(8, 8)),
    ("V635-4", "2024", own(6), own(6, 0, 1)),
    ("V635-4", "2024", own(7), own(7, 1)),
    ("V635-4", "2024", own(8, 1), own(6, 0, 0, 99)),
    ("V635-4", "2024", own(6, native="Other"), own(7, 0, 0, 0, 5)),
    ("V636-1", "2024", own(5, by=1), own(5, by=4)),
    ("V636-1", "2024", own(5, by=3), own(5, by=0)),
    ("V636-2", "2024", own(1, 2, 3, 4, 5, by=1), own(1, 2, 3, 4, 6, by=1)),
    ("V636-2", "2024", own(5, by=1), own(21, by=1)),
    ("V636-2", "2024", own(21, 22, by=2), own(by=1, native="Other")),
    ("V636-2", "2024", own(5, 5, by=1), own(1, 21, by=1)),
    ("V636-2", "2024", own(5, 0, 0, 4, by=1), own(5, 0, 41, by=1)),
    ("V636-2", "2024", own(6, 27, by=3), own(5, 0, 0, 99, by=1)),
    ("V636-3", "2024", own(6), own(7)),
    ("V636-3", "2024", own(21, 22, 23, 24, 25), own(21, 22, 23, 24, 6)),
    ("V636-3", "2024", own(7, by=3), own()),
    ("V636-3", "2024", own(native="Other"), own(99, native="Other")),
    ("V636-3", "2024", own(asian="Other"), own(7, asian="Other")),
    ("V636-3", "2024", own(0, 41, pacific="Other"), own(0, 99, pacific="Other")),
    ("V636-3", "2024", own(5, 0, 44), own(5, 0, 45)),
    ("V636-3", "2024", own(99, 99, by=1), own(5, 0, 0, 7)),
    ("V637", "2024", own(7, by=3), own(7, by=2)),
    ("V637", "2024", own(6, by=2), own(7, by=4)),
    ("V638-1", "2024", co(8), co(9)),
    ("V638-1", "2024", co(27), co()),
    ("V638-1", "2024", co(native="Other"), co(99)),
    ("V638-1", "2024", co(99, asian="Other"), co(-1)),
    ("V638-1", "2024", co(99, pacific="Other"), co(0, 5)),
    ("V638-2", "2024", co(5, 1, 2, 21, 27), co(5, 6)),
    ("V638-2", "2024", co(5, 0, 44), co(5, 0, 7)),
    ("V638-2", "2024", co(99), co(5, 0, 0, 8)),
    ("V638-2", "2024", co(5, 0, 0, 0, 5), co(5, 0, 0, 0, 99, asian="Other")),
    ("V638-3", "2024", co(1, 2, 21, 22, 3), co(1, 2, 21, 22, 1)),
    ("V638-3", "2024", co(99, 99), co(0, 0, 41, 41)),
    ("V638-3", "2024", co(9, 9), co(8, 8)),
    ("V638-4", "2024", co(6), co(6, 0, 1)),
    ("V638-4", "2024", co(7), co(7, 1)),
    ("V638-4", "2024", co(8), co(8, 0, 0, 0, 5)),
    ("V638-4", "2024", co(9, 1), co(8, 0, 0, 99)),
    ("V639-1", "2024", co(5, by=1), co(5, by=5)),
    ("V639-1", "2024", co(5, by=4), co(5, by=0)),
    ("V639-2", "2024", co(1, 2, 3, 4, 5, by=1), co(1, 2, 3, 4, 6, by=1)),
    ("V639-2", "2024", co(5, by=1), co(8, by=1)),
    ("V639-2", "2024", co(21, 22, by=2), co(by=1, native="Other")),
    ("V639-2", "2024", co(5, 5, by=1), co(1, 21, by=1)),
    ("V639-2", "2024", co(5, 0, 0, 4, by=1), co(5, 0, 41, by=1)),
    ("V639-2", "2024", co(8, 27, by=4), co(5, 0, 0, 99, by=1)),
    ("V639-3", "2024", co(6), co(7)),
    ("V639-3", "2024", co(21, 22, 23, 24, 25), co(21, 22, 23, 24, 6)),
    ("V639-3", "2024", co(8, by=4), co(8)),
    ("V639-3", "2024", co(native="Other"), co(99, native="Other")),
    ("V639-3", "2024", co(asian="Other"), co()),
    ("V639-3", "2024", co(0, 41, pacific="Other"), co(0, 99, pacific="Other")),
    ("V639-3", "2024", co(5, 0, 44), co(5, 0, 45)),
    ("V639-3", "2024", co(99, 99, by=1), co(5, 0, 0, 8)),
    ("V640", "2024", co(7, by=3), co(7, by=4)),
    ("V640", "2024", co(8, by=4), co(7, by=2)),
    ("V641", "2024", co(8, by=4), co(8, by=3)),
    ("V641", "2024", co(9, by=5), co(7, by=4)),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(race.EDITS, EditLevel.LAR, CASES) == []
