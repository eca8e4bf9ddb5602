"""Macro edits, and the other edits of the file that count its loans."""

import pytest

from tests.filing.edits.files import found

PURCHASE = {"loan_purpose": 1}
PURCHASED = PURCHASE | {"action_taken": 6}
DECLINED, DENIED, WITHDRAWN, INCOMPLETE = ({"action_taken": action} for action in (2, 3, 4, 5))
REQUESTED = PURCHASE | {"preapproval": 1, "action_taken": 8}
LOW, NO_INCOME = {"income": "9"}, {"income": "NA"}
EXEMPT = {"nmlsr_id": "Exempt"}
IN_Q2, IN_Q3 = {"action_taken_date": 20240630}, {"action_taken_date": 20240701}
IN_Q1 = {"action_taken_date": 20240331}

# Code, period, loans on which the edit holds, loans on which it breaks.
CASES = [
    ("Q634", "2024", [PURCHASE] * 25, [PURCHASE] * 26),
    ("Q634", "2024", [PURCHASE] * 95 + [PURCHASED] * 5, [PURCHASE] * 96 + [PURCHASED] * 5),
    ("Q634", "2024", [{}] * 40, [PURCHASE] * 39 + [PURCHASED]),
    ("Q635", "2024", [{}] * 17 + [DECLINED] * 3, [{}] * 16 + [DECLINED] * 3),
    ("Q635", "2024-Q1", [], [DECLINED]),
    ("Q636", "2024", [{}] * 7 + [WITHDRAWN] * 3, [{}] * 6 + [WITHDRAWN] * 3),
    ("Q637", "2026", [{}] * 17 + [INCOMPLETE] * 3, [{}] * 16 + [INCOMPLETE] * 3),
    ("Q638", "2024", [{}] + [DENIED] * 4, [{}] + [DENIED] * 5),
    ("Q638", "2024", [{}] + [REQUESTED] * 9, [REQUESTED]),
    ("Q638", "2026-Q3", [{}], []),
    ("Q639", "2024", [REQUESTED] * 1000, [REQUESTED] * 1001),
    ("Q639", "2024", [REQUESTED] * 1001 + [{"action_taken": 7}], [REQUESTED] * 1002),
    ("Q640", "2024", [{}] * 4 + [LOW], [{}] * 4 + [LOW] * 2),
    ("Q640", "2024", [NO_INCOME], [NO_INCOME] * 9 + [{"income": "-5"}]),
    ("Q646", "2019", [{}], [{}, EXEMPT]),
    ("Q647", "2024", [{}], None),
    ("S304", "2024", [{}], None),
    ("S305", "2024", [{}], [{"uli": "A"}] * 2),
    ("S306", "2024", [{}], [{"uli": "A"}, {"uli": "a"}]),
    ("S307", "2024-Q2", [IN_Q1, IN_Q2], [IN_Q1]),
    ("S307", "2024-Q2", [IN_Q2], [IN_Q2, IN_Q3]),
    ("S307", "2024-Q1", [{"action_taken_date": 20101231}], [IN_Q2]),
    ("S307", "2024-Q3", [IN_Q3], []),
    ("Q600", "2024", [{}], [{"uli": "A", "action_taken": 6}] * 2),
]


@pytest.mark.parametrize(("code", "period", "right", "wrong"), CASES)
def test_an_edit_holds_and_breaks(tmp_path, code, period, right, wrong):
    assert (code, "file") not in found(tmp_path, period, right).rows
    if wrong is not None:
        assert (code, "file") in found(tmp_path, period, wrong).rows


def test_the_number_of_loans_is_compared_with_the_transmittal_sheet(tmp_path):
    assert ("S304", "file") in found(tmp_path, "2024", [{}], total_lines=2).rows
    assert ("S304", "file") not in found(tmp_path, "2024", [], total_lines=0).rows


def test_only_a_filer_that_is_no_depository_may_not_use_the_exemption(tmp_path):
    assert ("Q647", "file") not in found(tmp_path, "2024", [EXEMPT]).rows
    assert ("Q647", "file") in found(tmp_path, "2024", [EXEMPT], federal_agency=7).rows
    assert ("Q647", "lar") in found(tmp_path, "2025", [EXEMPT], federal_agency=7).rows
