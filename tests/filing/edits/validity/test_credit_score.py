"""Validity edits of credit scores and of the models that they were computed with."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import credit_score
from tests.filing.edits.cases import verdicts, without_case

COMPANY = {"applicant_ethnicity_1": 4, "applicant_race_1": 7, "applicant_sex": 4}
CO_COMPANY = {f"co_{column}": code for column, code in COMPANY.items()}


def scored(score=720, model=1, name=""):
    """Return what is filed for the applicant."""
    return {
        "applicant_credit_score": score,
        "applicant_credit_score_type": model,
        "applicant_credit_score_type_free_form": name,
    }


def co_scored(score=720, model=1, name=""):
    """Return what is filed for the co-applicant."""
    return {f"co_{column}": value for column, value in scored(score, model, name).items()}


ALL_EXEMPT = scored(1111, 1111) | co_scored(1111, 1111)

CASES = [
    # Scores are whole numbers once a file is read: only what is missing breaks these two.
    ("V660-1", "2024", scored(-1), scored(None)),
    ("V665-1", "2024", co_scored(0), co_scored(None)),
    ("V660-2", "2018", scored(model=7), scored(model=11)),
    ("V660-2", "2021-Q3", scored(model=1111), scored(model=10)),
    ("V660-2", "2022", scored(model=11), scored(model=12)),
    ("V660-2", "2023", scored(model=8), scored(model=15)),
    ("V660-2", "2022-Q1", scored(model=11), scored(model=0)),
    ("V660-2", "2024", scored(model=12), scored(model=16)),
    ("V660-2", "2026", scored(model=15), scored(model=10)),
    ("V661", "2024", scored(8888, 9), scored(8888)),
    ("V661", "2024", scored(), scored(model=9)),
    ("V662-1", "2021", scored(model=7), scored(model=11)),
    ("V662-1", "2021", scored(model=11, name="A"), scored(name="A")),
    ("V662-1", "2023", scored(model=11), scored(model=12)),
    ("V662-1", "2023", scored(model=12, name="A"), scored(model=11, name="A")),
    ("V662-1", "2024", scored(model=15), scored(model=10)),
    ("V662-1", "2024", scored(model=9), scored(model=8)),
    ("V662-1", "2024", scored(model=1111), scored(model=1111, name="A")),
    ("V662-1", "2024", scored(model=8, name="A"), scored(model=12, name="NA")),
    ("V662-2", "2024", scored(model=8, name="NA"), scored(model=8)),
    ("V662-2", "2024", scored(model=10), scored(model=10, name="A")),
    ("V663", "2024", {"action_taken": 4, **scored(8888, 9)}, {"action_taken": 4}),
    (
        "V663",
        "2024",
        {"action_taken": 5, **scored(1111, 9)},
        {"action_taken": 5, **scored(8888, 1)},
    ),
    (
        "V663",
        "2024",
        {"action_taken": 6, **scored(8888, 1111)},
        {"action_taken": 6, **scored(8888, 9, "A")},
    ),
    ("V663", "2024", {"action_taken": 3}, {"action_taken": 6, **scored(720, 9)}),
    ("V664", "2024", {"action_taken": 4, **co_scored(8888, 9)}, {"action_taken": 4}),
    (
        "V664",
        "2024",
        {"action_taken": 5, **co_scored(1111, 9)},
        {"action_taken": 5, **co_scored(8888, 10)},
    ),
    (
        "V664",
        "2024",
        {"action_taken": 6, **co_scored(8888, 1111)},
        {"action_taken": 6, **co_scored(8888, 9, "A")},
    ),
    ("V664", "2024", {"action_taken": 7}, {"action_taken": 6, **co_scored(9999, 9)}),
    ("V665-2", "2020", co_scored(model=10), co_scored(model=11)),
    ("V665-2", "2022-Q2", co_scored(model=11), co_scored(model=12)),
    ("V665-2", "2023", co_scored(model=8), co_scored(model=15)),
    ("V665-2", "2024", co_scored(model=15), co_scored(model=16)),
    ("V665-2", "2025", co_scored(model=1111), co_scored(model=0)),
    ("V666-1", "2024", co_scored(8888, 9), co_scored(8888, 10)),
    ("V666-1", "2024", co_scored(), co_scored(model=9)),
    ("V666-2", "2024", co_scored(9999, 10), co_scored(9999, 9)),
    ("V666-2", "2024", co_scored(), co_scored(model=10)),
    ("V667-1", "2018", co_scored(model=15), co_scored(model=16)),
    ("V667-1", "2024", co_scored(model=10), co_scored(model=8)),
    ("V667-1", "2024", co_scored(model=8, name="A"), co_scored(model=10, name="A")),
    ("V667-1", "2024", co_scored(model=16, name="A"), co_scored(model=0)),
    ("V667-2", "2024", co_scored(model=8, name="A"), co_scored(model=8)),
    ("V667-2", "2024", co_scored(model=16), co_scored(model=16, name="A")),
    ("V668-1", "2024", COMPANY | scored(8888, 9), COMPANY),
    ("V668-1", "2024", COMPANY | scored(1111, 9), COMPANY | {"action_taken": 6}),
    ("V668-1", "2024", COMPANY | {"applicant_race_1": 6}, COMPANY | scored(9999)),
    ("V668-2", "2024", CO_COMPANY | co_scored(8888, 9), CO_COMPANY),
    ("V668-2", "2024", CO_COMPANY | co_scored(1111, 9), CO_COMPANY | {"action_taken": 6}),
    ("V668-2", "2024", COMPANY, CO_COMPANY | co_scored(0)),
    ("V710", "2024", ALL_EXEMPT, scored(1111, 1111)),
    ("V710", "2024", {}, scored(1111)),
    ("V710", "2024", {}, scored(model=1111)),
    ("V710", "2024", {}, co_scored(1111)),
    ("V710", "2024", {}, co_scored(model=1111)),
    ("V710", "2024", scored(name="A"), ALL_EXEMPT | scored(1111, 1111, "A")),
    ("V710", "2024", co_scored(name="A"), ALL_EXEMPT | co_scored(1111, 1111, "A")),
    ("V710", "2024", scored(8888, 9), ALL_EXEMPT | scored(8888, 1111)),
    ("V710", "2024", co_scored(8888, 9), ALL_EXEMPT | co_scored(1111, 9)),
    ("V720-1", "2022", scored(280), scored(279)),
    ("V720-1", "2022", scored(279, 12), scored(279, 11)),
    ("V720-1", "2023", scored(279, 7), scored(279, 6)),
    ("V720-1", "2024", scored(280, 12), scored(279, 12)),
    ("V720-1", "2024", scored(279, 13), scored(-1, 11)),
    ("V720-1", "2024", scored(7777), scored(0)),
    ("V720-2", "2022", co_scored(280), co_scored(279)),
    ("V720-2", "2023", co_scored(279, 12), co_scored(279, 11)),
    ("V720-2", "2024", co_scored(280, 12), co_scored(279, 12)),
    ("V720-2", "2024", co_scored(279, 8), co_scored(-1, 6)),
    ("V720-3", "2024", scored(300, 13), scored(299, 13)),
    ("V720-3", "2024", scored(299, 12), scored(280, 15)),
    ("V720-4", "2024", co_scored(300, 14), co_scored(299, 14)),
    ("V720-4", "2024", co_scored(299, 10), co_scored(280, 15)),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(credit_score.EDITS, EditLevel.LAR, CASES) == []
