"""Quality edits of the location."""

import pytest

from filing.edits.edit import EditLevel
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
    ("Q660-1", "2024", {"street": "é" * 100}, {"street": "1" * 101}),
    ("Q660-1", "2026-Q3", {"street": ""}, {"street": "é" * 101}),
    *(("Q660-2", "2024", {"street": "1 Oak, 2 Elm"}, {"street": f"1 {c} 2"}) for c in "&;\\"),
    *(
        ("Q660-2", "2024", {"street": right}, {"street": wrong})
        for right, wrong in (
            ("1 Grand Ave", "1 Oak and 2 Elm"),
            ("1 Andover St", "AND"),
            ("1 Oak_and 2", "1 Oak-aNd"),
            ("1and 2", "and 2"),
            ("1 and2", "(And)"),
            ("1 band", "é" + "and"),
            ("NA", "and" + "é"),
        )
    ),
    *(
        ("Q660-3", "2024", {"street": "#1-2/3, 'A' \"B\" (C). &;|~`:"}, {"street": f"1 A{c}"})
        for c in "!@$^%*_+={}[]<>?\\"
    ),
    ("Q660-3", "2024", {"street": "tb d"}, {"street": "1 Outbd Rd"}),
    ("Q660-3", "2025-Q1", {"street": ""}, {"street": "TbD"}),
    *(
        ("Q660-4", "2024", {"street": right}, {"street": wrong})
        for right, wrong in (
            ("A1", "12"),
            ("12 a", "Main Street"),
            ("", "12 é"),
            ("NA", "é"),
            ("exempt", "N/A"),
            ("nA", "-"),
            ("EXEMPT 1", "EXEMPTED"),
            ("z\N{LATIN SMALL LETTER E WITH ACUTE}9", "A\N{ARABIC-INDIC DIGIT TWO}"),
        )
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(geography.EDITS, EditLevel.LAR, CASES) == []
