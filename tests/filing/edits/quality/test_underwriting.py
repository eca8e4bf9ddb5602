"""Quality edits of what the automated underwriting systems returned."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import underwriting
from filing.lar.fields import LAR_BY_NAME
from tests.filing.edits.cases import verdicts, without_case

# Code, period, system, and all the results that it may have.
LISTS = [
    ("Q632", "2018", 3, (8, 13)),
    ("Q632", "2019", 3, (1, 2, 3, 4, 8, 13, 16, 18, 19)),
    ("Q633", "2018", 4, (5, 8, 10, 13, 14, 15, 16)),
    ("Q633", "2019", 4, (3, 4, 10, 15, 16, *range(18, 25))),
    ("Q643", "2018", 1, (1, 2, 3, 4, 5, 6, 7, 15)),
    ("Q643", "2020-Q1", 1, (1, 2, 3, 4, 5, 6, 7, 15, 16)),
    ("Q644", "2018", 2, (8, 9, 10, 11, 12)),
    ("Q644", "2026-Q3", 2, (8, 9, 10, 11, 12, 13, 16)),
]
KNOWN = {0, *LAR_BY_NAME["aus_result_1"].codes}


def returned(place, system, result):
    return {f"aus_{place}": system, f"aus_result_{place}": result}


CASES = [
    *(
        (code, period, returned(1, system, result), returned(1, system, 0))
        for code, period, system, results in LISTS
        for result in results
    ),
    *(
        (code, period, returned(1, 5, result), returned(1, system, result))
        for code, period, system, results in LISTS
        for result in sorted(KNOWN - set(results))
    ),
    *(
        (code, period, returned(place, system, results[0]), returned(place, system, 17))
        for code, period, system, results in LISTS
        for place in (2, 3, 4, 5)
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(underwriting.EDITS, EditLevel.LAR, CASES) == []
