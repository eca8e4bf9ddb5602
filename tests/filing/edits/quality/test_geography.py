"""Quality edits of the location."""

import pytest

from filing.edits.edit import Level
from filing.edits.quality import geography
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("Q602", "2024", {"street": "na"}, {"street": "NA"}),
    ("Q602", "2024", {"street": "NA", "city": "NA"}, {"street": "NA", "city": ""}),
    ("Q603", "2024", {"census_tract": "NA", "county": "48301"}, {"census_tract": "NA"}),
    ("Q603", "2024", {"census_tract": "na", "county": "nA"}, {"census_tract": "na", "county": ""}),
    ("Q603", "2024", {"census_tract": ""}, {"census_tract": "nA", "county": "99999"}),
    ("Q604", "2018", {"state": "NY"}, {"county": "06999"}),
    ("Q604", "2018", {"county": "na"}, {"county": ""}),
    ("Q604", "2019", {"state": "NY", "county": "36061"}, {"state": "NY"}),
    ("Q604", "2019", {"state": "na"}, {"state": "ca"}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(Level.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(geography.EDITS, Level.LAR, CASES) == []
