"""Validity edits of the location, from the street to the census tract."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import geography
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("V620", "2024", {"street": "NA"}, {"street": ""}),
    ("V621", "2024", {"city": "Exempt"}, {"city": ""}),
    ("V622", "2024", {"street": "Exempt", "city": "NA"}, {"city": "NA"}),
    ("V622", "2024", {"street": "NA", "state": "NA"}, {"street": "na", "state": "NA"}),
    ("V622", "2024", {"zip_code": ""}, {"street": "", "zip_code": "NA"}),
    ("V623", "2024", {"state": "NA"}, {"state": "na"}),
    ("V623", "2024", {"state": "VI"}, {"state": "Exempt"}),
    ("V624", "2024", {"zip_code": "90001-1234"}, {"zip_code": "90001-"}),
    ("V624", "2024", {"zip_code": "Exempt"}, {"zip_code": "exempt"}),
    ("V624", "2024", {"zip_code": "NA"}, {"zip_code": ""}),
    ("V625-1", "2024", {"census_tract": "na"}, {"census_tract": "1234567.890"}),
    ("V625-1", "2024", {"census_tract": "99999999999"}, {"census_tract": "+1234567890"}),
    ("V625-1", "2024", {"census_tract": "nA"}, {"census_tract": ""}),
    ("V625-2", "2024", {"census_tract": "36061000100"}, {"census_tract": "06037999999"}),
    ("V625-2", "2021-Q1", {"census_tract": "Na"}, {"census_tract": ""}),
    ("V626", "2024", {"county": "NA"}, {"county": "na"}),
    ("V626", "2024-Q1", {"county": "36061"}, {"county": "36062"}),
    ("V627", "2024-Q1", {"county": "NA"}, {"county": "na"}),
    ("V627", "2020-Q1", {"census_tract": "NA"}, {"census_tract": "na"}),
    ("V627", "2024", {"census_tract": "06037"}, {"census_tract": "0603"}),
    (
        "V627",
        "2024",
        {"county": "36061", "census_tract": "36061"},
        {"county": "36062", "census_tract": "36062000100"},
    ),
    (
        "V709",
        "2024",
        {"street": "Exempt", "city": "Exempt", "zip_code": "Exempt"},
        {"street": "Exempt", "city": "Exempt"},
    ),
    ("V709", "2024", {"street": "EXEMPT"}, {"city": "Exempt"}),
    ("V716", "2020-Q1", {"county": "na"}, {"county": "36061"}),
    ("V716", "2023-Q1", {"state": "nA"}, {"state": "ca"}),
    ("V716", "2024", {"state": "NY", "county": "36061"}, {"state": "NY", "county": "36062"}),
    ("V716", "2024", {}, {"county": ""}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(geography.EDITS, EditLevel.LAR, CASES) == []
