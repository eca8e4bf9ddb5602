"""Quality edits of manufactured homes and numbers of units."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality.dwelling import EDITS
from tests.filing.edits.cases import verdicts, without_case

HOME = {"construction_method": 2}
SECURED = "manufactured_home_secured_property_type"
INTEREST = "manufactured_home_land_property_interest"
AFFORDABLE = "multifamily_affordable_units"
FOUR, FIVE = {"total_units": 4}, {"total_units": 5}

CASES = [
    ("Q618", "2018", HOME | {SECURED: 1}, HOME | {SECURED: 3}),
    ("Q618", "2024", HOME | {SECURED: 1111}, HOME),
    ("Q618", "2024", {SECURED: 3}, HOME | {INTEREST: 1}),
    ("Q619", "2018", HOME | {INTEREST: 4}, HOME | {INTEREST: 5}),
    ("Q619", "2024", HOME | {INTEREST: 1111}, HOME),
    ("Q619", "2024", {INTEREST: 5}, HOME | {SECURED: 1}),
    ("Q630", "2018", FOUR | {"hoepa_status": 1}, FIVE | {"hoepa_status": 1}),
    ("Q630", "2024", FIVE | {"hoepa_status": 3}, FIVE),
    *(("Q631", "2018", FOUR | {"loan_type": x}, FIVE | {"loan_type": x}) for x in (2, 3, 4)),
    ("Q631", "2024", FIVE, FIVE | {"loan_type": 2}),
    ("Q655", "2021", FIVE | {AFFORDABLE: "0"}, FIVE | {AFFORDABLE: "NA"}),
    ("Q655", "2024", FIVE | {AFFORDABLE: "Exempt"}, FIVE),
    ("Q655", "2024", FIVE | {AFFORDABLE: "-" + "9" * 60}, {"total_units": 2**31 - 1}),
    ("Q655", "2024-Q1", FOUR, FIVE),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(EDITS, EditLevel.LAR, CASES) == []
