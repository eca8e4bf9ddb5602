"""Validity edits of the dwelling: its value, manufactured homes and the units."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity.dwelling import EDITS
from tests.filing.edits.cases import verdicts, without_case

SECURED, LAND = (
    "manufactured_home_secured_property_type",
    "manufactured_home_land_property_interest",
)
AFFORDABLE = "multifamily_affordable_units"

CASES = [
    ("V688-1", "2024", {"property_value": "0.01"}, {"property_value": "0"}),
    ("V688-1", "2024", {"property_value": "NA"}, {"property_value": "-312500"}),
    ("V688-1", "2024", {"property_value": "Exempt"}, {"property_value": ""}),
    ("V688-2", "2024", {"action_taken": 6}, {"action_taken": 4}),
    ("V688-2", "2024", {"action_taken": 5, "property_value": "NA"}, {"action_taken": 5}),
    ("V689-1", "2024", {SECURED: 1}, {SECURED: 0}),
    ("V689-1", "2024", {SECURED: 1111}, {SECURED: 4}),
    ("V689-2", "2024", {AFFORDABLE: "2", SECURED: 1111}, {AFFORDABLE: "2", SECURED: 1}),
    ("V689-2", "2024", {AFFORDABLE: "0"}, {AFFORDABLE: "0", SECURED: 0}),
    ("V689-2", "2024", {AFFORDABLE: "Exempt", SECURED: 2}, {AFFORDABLE: "-1", SECURED: 2}),
    ("V689-3", "2024", {"construction_method": 2, SECURED: 1}, {SECURED: 1}),
    ("V689-3", "2024", {SECURED: 1111}, {SECURED: 2}),
    ("V690-1", "2024", {LAND: 4}, {LAND: 0}),
    ("V690-1", "2024", {LAND: 1111}, {LAND: 6}),
    ("V690-2", "2024", {AFFORDABLE: "2", LAND: 1111}, {AFFORDABLE: "2", LAND: 4}),
    ("V690-2", "2024", {AFFORDABLE: "NA", LAND: 1}, {AFFORDABLE: "0", LAND: 1}),
    ("V690-3", "2024", {"construction_method": 2, LAND: 4}, {LAND: 4}),
    ("V690-3", "2024", {LAND: 1111}, {LAND: 3}),
    ("V691", "2024", {"total_units": 1}, {"total_units": 0}),
    ("V691", "2024", {"total_units": 2147483647}, {"total_units": -1}),
    ("V692-1", "2024", {AFFORDABLE: "2147483647"}, {AFFORDABLE: "2147483648"}),
    ("V692-1", "2024", {AFFORDABLE: "-2147483648"}, {AFFORDABLE: "-2147483649"}),
    ("V692-1", "2024", {AFFORDABLE: "0"}, {AFFORDABLE: ""}),
    ("V692-1", "2024", {AFFORDABLE: "Exempt"}, {AFFORDABLE: "exempt"}),
    ("V692-2", "2024", {"total_units": 4, AFFORDABLE: "NA"}, {"total_units": 4, AFFORDABLE: "0"}),
    ("V692-2", "2024", {"total_units": 5, AFFORDABLE: "5"}, {"total_units": -1, AFFORDABLE: "-1"}),
    ("V692-2", "2024", {AFFORDABLE: "Exempt"}, {AFFORDABLE: "1"}),
    ("V692-3", "2024", {"total_units": 5, AFFORDABLE: "5"}, {"total_units": 5, AFFORDABLE: "6"}),
    ("V692-3", "2024", {"total_units": 10, AFFORDABLE: "9"}, {"total_units": 9, AFFORDABLE: "10"}),
    ("V692-3", "2024", {"total_units": 5}, {"total_units": 5, AFFORDABLE: "2147483648"}),
    ("V692-3", "2024", {AFFORDABLE: "6"}, {"total_units": 5, AFFORDABLE: ""}),
    (
        "V692-3",
        "2024",
        {"total_units": 5, AFFORDABLE: "-2147483648"},
        {"total_units": 5, AFFORDABLE: "-2147483649"},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(EDITS, EditLevel.LAR, CASES) == []
