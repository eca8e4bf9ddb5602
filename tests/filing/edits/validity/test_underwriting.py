"""Validity edits of the automated underwriting systems and of what they returned."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import underwriting
from tests.filing.edits.cases import verdicts, without_case

FURTHER = (2, 3, 4, 5)
NO_SYSTEM = {"aus_1": 6, "aus_result_1": 17}
EXEMPT = {"aus_1": 1111, "aus_result_1": 1111}
COMPANY = {"applicant_ethnicity_1": 4, "applicant_race_1": 7, "applicant_sex": 4}
CO_COMPANY = {f"co_{field}": code for field, code in COMPANY.items()}
TWO_COMPANIES = COMPANY | CO_COMPANY
FIVE_SYSTEMS = {f"aus_{n}": 1 for n in FURTHER}
FIVE_RESULTS = {f"aus_result_{n}": 1 for n in FURTHER}

CASES = [
    ("V696-1", "2018", {"aus_1": 6}, {"aus_1": 7}),
    ("V696-1", "2020", {"aus_1": 1111}, {"aus_1": 0}),
    ("V696-1", "2020-Q3", {"aus_2": 5}, {"aus_2": 6}),
    *(("V696-1", "2019", {f"aus_{n}": 5}, {f"aus_{n}": 7}) for n in FURTHER),
    ("V696-1", "2021", {"aus_1": 7}, {"aus_1": 8}),
    ("V696-1", "2021-Q1", {"aus_1": 1111}, {"aus_1": 0}),
    *(("V696-1", "2026", {f"aus_{n}": 7}, {f"aus_{n}": 6}) for n in FURTHER),
    *(("V696-1", "2024", {f"aus_{n}": 1}, {f"aus_{n}": 1111}) for n in FURTHER),
    ("V696-2", "2018", {"aus_result_1": 24}, {"aus_result_1": 25}),
    ("V696-2", "2024", {"aus_result_1": 17}, {"aus_result_1": 0}),
    ("V696-2", "2024", {"aus_result_1": 1111}, {"aus_result_1": -1}),
    *(("V696-2", "2024", {f"aus_result_{n}": 16}, {f"aus_result_{n}": 17}) for n in FURTHER),
    *(("V696-2", "2024", {f"aus_result_{n}": 18}, {f"aus_result_{n}": 1111}) for n in FURTHER),
    ("V696-3", "2018", {"aus_2": 99, "aus_result_5": 99}, {"aus_2": 1}),
    ("V696-3", "2021-Q1", {"aus_2": 1, "aus_result_3": 1}, {"aus_result_4": 1}),
    ("V696-3", "2024", FIVE_SYSTEMS | FIVE_RESULTS, FIVE_SYSTEMS),
    ("V696-3", "2026", {"aus_1": 0, "aus_2": 1}, {"aus_1": 0}),
    ("V696-3", "2026", {"aus_1": 0, "aus_result_1": 0}, {"aus_result_1": 0}),
    *(
        ("V696-3", "2021", {f"aus_{n}": 1, f"aus_result_{n}": 1}, {f"aus_result_{n}": 1})
        for n in FURTHER
    ),
    ("V696-3", "2021", {"aus_1": 0}, {"aus_2": 1, "aus_result_3": 1}),
    *(
        (
            "V699",
            "2018",
            {f"aus_{n}": 5, f"aus_result_{n}": 16},
            {f"aus_{n}": 5, f"aus_result_{n}": 18},
        )
        for n in (1, *FURTHER)
    ),
    *(
        (
            "V699",
            "2019",
            {f"aus_{n}": 5, f"aus_result_{n}": 24},
            {f"aus_{n}": 5, f"aus_result_{n}": 17},
        )
        for n in (1, *FURTHER)
    ),
    ("V699", "2018", {"aus_result_1": 18}, {"aus_1": 5, "aus_result_1": 1111}),
    ("V699", "2024", {"aus_result_1": 17}, {"aus_2": 5}),
    ("V699", "2026-Q1", {"aus_1": 5}, {"aus_1": 5, "aus_result_1": 1111}),
    ("V700-1", "2024", NO_SYSTEM, {"aus_1": 6}),
    ("V700-1", "2024", {"aus_result_1": 17}, {"aus_1": 6, "aus_result_1": 1111}),
    *(("V700-1", "2024", {f"aus_{n}": 1}, {**NO_SYSTEM, f"aus_{n}": 1}) for n in FURTHER),
    *(
        ("V700-1", "2024", {f"aus_result_{n}": 1}, {**NO_SYSTEM, f"aus_result_{n}": 1})
        for n in FURTHER
    ),
    ("V700-2", "2024", NO_SYSTEM, {"aus_result_1": 17}),
    ("V700-2", "2024", {"aus_1": 6}, {"aus_1": 1111, "aus_result_1": 17}),
    *(("V700-2", "2024", {f"aus_{n}": 1}, {**NO_SYSTEM, f"aus_{n}": 1}) for n in FURTHER),
    *(
        ("V700-2", "2024", {f"aus_result_{n}": 1}, {**NO_SYSTEM, f"aus_result_{n}": 1})
        for n in FURTHER
    ),
    *(("V701", "2024", {f"aus_{n}": 1}, {f"aus_result_{n}": 1}) for n in FURTHER),
    ("V701", "2024", {"aus_1": 0}, {"aus_2": 1, "aus_result_3": 1}),
    *(
        ("V702-1", "2024", {f"aus_{n}": 5, "aus_free_form": "House"}, {f"aus_{n}": 5})
        for n in (1, *FURTHER)
    ),
    *(
        ("V702-2", "2024", {f"aus_{n}": 5, "aus_free_form": "House"}, {"aus_free_form": "NA"})
        for n in (1, *FURTHER)
    ),
    *(
        (
            "V703-1",
            "2024",
            {f"aus_result_{n}": 16, "aus_result_free_form": "Other"},
            {f"aus_result_{n}": 16},
        )
        for n in (1, *FURTHER)
    ),
    *(
        (
            "V703-2",
            "2024",
            {f"aus_result_{n}": 16, "aus_result_free_form": "Other"},
            {"aus_result_free_form": "Exempt"},
        )
        for n in (1, *FURTHER)
    ),
    ("V704-1", "2024", {"action_taken": 6, "aus_1": 6}, {"action_taken": 6}),
    ("V704-1", "2024", {"action_taken": 6, "aus_1": 1111}, {"action_taken": 6, "aus_1": 7}),
    ("V704-2", "2024", {"action_taken": 6, "aus_result_1": 17}, {"action_taken": 6}),
    (
        "V704-2",
        "2024",
        {"action_taken": 6, "aus_result_1": 1111},
        {"action_taken": 6, "aus_result_1": 16},
    ),
    ("V705-1", "2024", COMPANY | NO_SYSTEM, COMPANY),
    ("V705-1", "2024", COMPANY | EXEMPT, COMPANY | {"aus_1": 6}),
    ("V705-1", "2024", TWO_COMPANIES, COMPANY | {"aus_result_1": 17}),
    *(("V705-1", "2024", COMPANY | {field: 3}, COMPANY) for field in COMPANY),
    *(("V705-1", "2024", COMPANY | {field: 3}, COMPANY) for field in CO_COMPANY),
    ("V705-2", "2024", TWO_COMPANIES | NO_SYSTEM, TWO_COMPANIES),
    ("V705-2", "2024", TWO_COMPANIES | EXEMPT, TWO_COMPANIES | {"aus_1": 1111}),
    ("V705-2", "2024", COMPANY, TWO_COMPANIES | {"aus_result_1": 1111}),
    *(("V705-2", "2024", TWO_COMPANIES | {field: 3}, TWO_COMPANIES) for field in TWO_COMPANIES),
    ("V713", "2024", EXEMPT, {"aus_1": 1111}),
    ("V713", "2024", {"aus_2": 1111}, {"aus_result_1": 1111}),
    ("V713", "2024", {"aus_result_5": 1111}, EXEMPT | {"aus_result_5": 1111}),
    *(("V713", "2024", {f"aus_{n}": 1}, {**EXEMPT, f"aus_{n}": 1}) for n in FURTHER),
    *(("V713", "2024", {f"aus_result_{n}": 1}, {**EXEMPT, f"aus_result_{n}": 1}) for n in FURTHER),
    ("V713", "2024", {"aus_free_form": "NA"}, EXEMPT | {"aus_free_form": "NA"}),
    ("V713", "2024", {"aus_result_free_form": "NA"}, EXEMPT | {"aus_result_free_form": "NA"}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(underwriting.EDITS, EditLevel.LAR, CASES) == []
