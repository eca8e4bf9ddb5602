"""What follows when an applicant is no natural person."""

from __future__ import annotations

from operator import itemgetter

from bench.plain_rules.record import NO_NUMBER, Fail, Known, Record

_ENTITY, _NOBODY = (4, 7, 4), (5, 8, 5)  # ethnicity, race and sex
_person = itemgetter("applicant_ethnicity_1", "applicant_race_1", "applicant_sex")
_co_person = itemgetter("co_applicant_ethnicity_1", "co_applicant_race_1", "co_applicant_sex")


def entities(loan: Record, _: Known, fail: Fail) -> None:
    """Check V651, V652, V655, V668, V680 and V705."""
    has_entity = _person(loan) == _ENTITY
    has_co_entity = _co_person(loan) == _ENTITY
    is_purchased = loan["action_taken"] == 6
    if has_co_entity:
        if not is_purchased:
            if loan["co_applicant_age"] != 8888:
                fail("V652-2")
            if loan["income"] != "NA":
                fail("V655-2")
        if loan["co_applicant_credit_score"] not in {1111, 8888}:
            fail("V668-2")
    if not has_entity:
        return
    if not is_purchased:
        if loan["applicant_age"] != 8888:
            fail("V651-2")
        if loan["income"] != "NA":
            fail("V655-1")
    if loan["applicant_credit_score"] not in {1111, 8888}:
        fail("V668-1")
    has_debt_ratio = loan["debt_to_income_ratio"] not in NO_NUMBER
    is_scored = loan["aus_1"] not in {6, 1111} or loan["aus_result_1"] not in {17, 1111}
    if has_co_entity:
        if has_debt_ratio:
            fail("V680-2")
        if is_scored:
            fail("V705-2")
    if _co_person(loan) == _NOBODY:
        if has_debt_ratio:
            fail("V680-1")
        if is_scored:
            fail("V705-1")
