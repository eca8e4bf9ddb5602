"""Validity edits of the ethnicity of applicant and co-applicant, and of how it was collected."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import ethnicity
from tests.filing.edits.cases import verdicts, without_case


def own(*codes, by=2, text=""):
    """Return these ethnicities of the applicant, the others blank, and how they were collected."""
    filled = (*codes, 0, 0, 0, 0, 0)[:5]
    return {f"applicant_ethnicity_{i}": code for i, code in enumerate(filled, start=1)} | {
        "applicant_ethnicity_observed": by,
        "applicant_ethnicity_free_form": text,
    }


def co(*codes, by=2, text=""):
    return {f"co_{name}": value for name, value in own(*codes, by=by, text=text).items()}


CASES = [
    ("V628-1", "2024", own(1), own()),
    ("V628-1", "2024", own(14), own(15)),
    ("V628-1", "2024", own(4), own(5)),
    ("V628-1", "2024", own(text="Other"), own(99, text="Other")),
    ("V628-1", "2018", own(3), own(-1)),
    ("V628-2", "2024", own(2, 1, 11, 12, 13), own(2, 3)),
    ("V628-2", "2024", own(2, 0, 14), own(2, 0, 4)),
    ("V628-2", "2024", own(99), own(2, 0, 0, 5)),
    ("V628-2", "2024", own(2, 0, 0, 0, 2), own(2, 0, 0, 0, 99, text="Other")),
    ("V628-3", "2024", own(1, 11, 12, 13, 2), own(1, 11, 12, 13, 1)),
    ("V628-3", "2024", own(2), own(0, 0, 14, 14)),
    ("V628-3", "2024", own(99, 99), own(99, 99, 2, 2)),
    # Code 5 is known, although it is no code of an applicant.
    ("V628-3", "2024", own(6, 6), own(5, 5)),
    ("V628-4", "2024", own(3), own(3, 0, 1)),
    ("V628-4", "2024", own(4), own(4, 1)),
    ("V628-4", "2024", own(5, 1), own(3, 0, 0, 99)),
    ("V628-4", "2024", own(3, text="Other"), own(4, 0, 0, 0, 2)),
    ("V629-1", "2024", own(2, by=1), own(2, by=4)),
    ("V629-1", "2024", own(2, by=3), own(2, by=0)),
    ("V629-2", "2024", own(1, 2, by=1), own(1, 11, by=1)),
    ("V629-2", "2024", own(2, by=1), own(3, by=1)),
    ("V629-2", "2024", own(11, 12, 13, by=2), own(by=1, text="Other")),
    ("V629-2", "2024", own(2, 2, by=1), own(1, 0, 2, by=1)),
    ("V629-2", "2024", own(2, 0, by=1), own(1, 0, 0, 2, by=1)),
    ("V629-2", "2024", own(2, 1, by=1), own(1, 0, 0, 0, 2, by=1)),
    ("V629-3", "2024", own(3), own(4)),
    ("V629-3", "2024", own(13), own()),
    ("V629-3", "2024", own(4, by=3), own(5)),
    ("V629-3", "2024", own(text="Other"), own(99)),
    ("V629-3", "2024", own(4, text="Other"), own(15)),
    ("V629-3", "2024", own(99, text="Other"), own(-1)),
    ("V630", "2024", own(4, by=3), own(4, by=2)),
    ("V630", "2024", own(3, by=2), own(4, by=4)),
    ("V631-1", "2024", co(1), co()),
    ("V631-1", "2024", co(5), co(6)),
    ("V631-1", "2024", co(text="Other"), co(99, text="Other")),
    ("V631-2", "2024", co(2, 1, 11, 12, 13), co(2, 3)),
    ("V631-2", "2024", co(2, 0, 14), co(2, 0, 4)),
    ("V631-2", "2024", co(99), co(2, 0, 0, 5)),
    ("V631-2", "2024", co(2, 0, 0, 0, 2), co(2, 0, 0, 0, 99, text="Other")),
    ("V631-3", "2024", co(1, 11, 12, 13, 2), co(1, 11, 12, 13, 1)),
    ("V631-3", "2024", co(99, 99), co(0, 0, 14, 14)),
    ("V631-3", "2024", co(6, 6), co(5, 5)),
    ("V631-4", "2024", co(3), co(3, 0, 1)),
    ("V631-4", "2024", co(4), co(4, 1)),
    ("V631-4", "2024", co(5), co(5, 0, 0, 0, 2)),
    ("V631-4", "2024", co(6, 1), co(5, 0, 0, 99)),
    ("V632-1", "2024", co(2, by=1), co(2, by=5)),
    ("V632-1", "2024", co(2, by=4), co(2, by=0)),
    ("V632-2", "2024", co(1, 2, by=1), co(1, 11, by=1)),
    ("V632-2", "2024", co(2, by=1), co(5, by=1)),
    ("V632-2", "2024", co(11, 12, 13, by=2), co(by=1, text="Other")),
    ("V632-2", "2024", co(2, 2, by=1), co(1, 0, 2, by=1)),
    ("V632-2", "2024", co(2, 0, by=1), co(1, 0, 0, 2, by=1)),
    ("V632-2", "2024", co(2, 1, by=1), co(1, 0, 0, 0, 2, by=1)),
    ("V632-3", "2024", co(3), co(4)),
    ("V632-3", "2024", co(13), co()),
    ("V632-3", "2024", co(5, by=4), co(5)),
    ("V632-3", "2024", co(text="Other"), co(99, text="Other")),
    ("V632-3", "2024", co(2, text="Other"), co(4, text="Other")),
    ("V633", "2024", co(4, by=3), co(4, by=4)),
    ("V633", "2024", co(5, by=4), co(4, by=2)),
    ("V634", "2024", co(5, by=4), co(5, by=3)),
    ("V634", "2024", co(6, by=5), co(4, by=4)),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(ethnicity.EDITS, EditLevel.LAR, CASES) == []
