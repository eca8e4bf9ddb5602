"""What is looked up by place: the conforming loan limit and the census columns."""

from __future__ import annotations

import polars as pl
import pytest

from databrowser.publication.records import places
from filing.reference import census as census_file
from filing.reference import limits
from tests.conftest import PUBLISHED
from tests.databrowser.publication.loans import published

# Two counties of California and one of Maryland; the limits for one to four units.
LIST = b"""state|county|name|abbreviation|CBSA|one|two|three|four
06|001|LOW|CA|11111|400000|500000|600000|700000
06|037|HIGH|CA|31080|800000|1000000|1200000|1400000
24|001|MIDDLE|MD||500000|640000|774000|962000
09|001|FAIRFIELD|CT|14860|600000|700000|800000|900000
09|190|WESTERN|CT|14860|450000|550000|650000|750000
"""
LIMITS = limits.build_loan_limits(limits.read_loan_limits(LIST))

# Loan amount, units, lien, county, state, and where the loan stands to the limit.
CASES = [
    ("400000", 1, 1, "06001", "CA", "C"),
    ("400000.00", 1, 1, "99999", "CA", "C"),  # within the lowest limit of all
    ("400000.01", 1, 1, "06001", "CA", "NC"),
    ("400000.00000000000001", 1, 1, "06001", "CA", "NC"),
    ("199999.999999999999999", 1, 2, "06001", "CA", "C"),
    ("200000.000000000000001", 1, 2, "06001", "CA", "NC"),
    ("4e5", 1, 1, "06001", "CA", "C"),
    ("800000", 1, 1, "06037", "CA", "C"),
    ("800001", 1, 1, "06037", "CA", "NC"),
    ("800001", 1, 1, "99999", "CA", "NC"),  # above the highest of all
    ("500000", 1, 1, "24001", "MD", "C"),
    ("500001", 1, 1, "24001", "MD", "NC"),
    ("640000", 2, 1, "24001", "MD", "C"),
    ("774000", 3, 1, "24001", "MD", "C"),
    ("962001", 4, 1, "24001", "MD", "NC"),
    ("200000", 1, 2, "06001", "CA", "C"),  # half of it for a subordinate lien
    ("200000.5", 1, 2, "06001", "CA", "NC"),
    ("320000", 2, 2, "24001", "MD", "C"),
    ("320000.01", 2, 2, "24001", "MD", "NC"),
    ("450000", 1, 1, "06999", "CA", "U"),  # given, but unknown: the state is not asked
    ("450000", 1, 1, "Exempt", "CA", "U"),
    ("450000", 1, 1, "na", "MD", "U"),
    ("450000", 1, 1, "", "MD", "U"),
    ("450000", 1, 1, "NA", "MD", "C"),  # within the least of the state
    ("500001", 1, 1, "NA", "MD", "NC"),  # above its most
    ("500001", 1, 1, "NA", "CA", "U"),  # between the two
    ("450000", 1, 1, "NA", "NA", "U"),
    ("450000", 1, 1, "NA", "ZZ", "U"),
    ("100000", 5, 1, "06001", "CA", "NA"),
    ("100000", 5, 3, "06001", "CA", "NA"),
    ("100000", 0, 1, "06001", "CA", "U"),
    ("100000", 1, 3, "06001", "CA", "U"),
]


def changed(amount: str, units: int, lien: int, county: str, state: str) -> dict[str, str | int]:
    return {
        "loan_amount": amount,
        "total_units": units,
        "lien_status": lien,
        "county": county,
        "state": state,
    }


def test_the_amount_is_held_against_the_limit_of_its_place():
    changes = [changed(*case[:5]) for case in CASES]
    found = published("conforming_loan_limit", changes, limits=LIMITS)
    assert found == [case[5] for case in CASES]


@pytest.mark.parametrize(("year", "limit"), [(2024, "NC"), (2025, "C"), (2040, "C")])
def test_what_was_fairfield_county_keeps_its_limit_from_2025_on(year, limit):
    place = {"state": "CT", "county": "09190", "loan_amount": "600000"}
    changes = [
        place | {"census_tract": tract}
        for tract in ("09190010101", "09190245600", "09190257200", "09190253100", "09110010101")
    ]
    found = published("conforming_loan_limit", changes, year=year, limits=LIMITS)
    assert found == [limit] * 3 + ["NC"] * 2


@pytest.mark.published
def test_the_tracts_of_former_fairfield_county_are_the_published_ones():
    named = (PUBLISHED / "reference" / "ct_former_fairfield_tracts.txt").read_text().split()
    listed = (PUBLISHED / "reference" / "census_tracts_2022.txt").read_text().splitlines()
    cells = [line.split("|") for line in listed]
    others = [c[4].strip() for c in cells if c[2].strip() == "09" and c[3].strip() != "001"]
    regions = ("09120", "09140", "09190")
    tracts = [*named, *(region + number for region in regions for number in others)]
    found = pl.DataFrame({"census_tract": tracts}).filter(places.is_former_fairfield())
    assert found["census_tract"].to_list() == named


CENSUS = census_file.read_census(
    b"year|msa|state|county|tract|income|people|share|owned|homes|mfi|percent|age|small|name\n"
    b"2024|42540|42|079|215600|71700|5422|16.51|1172|2058|49107|81.99|76|T|Scranton\n"
    b"2024|42540|42|079|215700|71700|10|5.00|1|2|49107|100|||Scranton\n"
    b"2024|11111|42|079|215800|60000|20|6|1|2|49107|100.50|0||Later\n"
    b"2024||42|081|990000||||||||||\n",
    year=2024,
)
# Tract and county of a loan, and what is published: MSA/MD, population, minority share, median
# income of the MSA/MD, share of it, owned units, homes, age.
FIGURES = [
    (
        ("42079215600", "42079"),
        ["42540", "5422", "16.51", "71700", "81.99", "1172", "2058", "76"],
    ),
    (("42079215700", "42079"), ["42540", "10", "5", "71700", "100", "1", "2", "-1"]),
    # Only the county is known: what its last line says of it, and 0 for the tract.
    (("42079999999", "42079"), ["11111", "0", "0", "60000", "0", "0", "0", "0"]),
    (("NA", "42079"), ["11111", "0", "0", "60000", "0", "0", "0", "0"]),
    # A line without figures, and without an MSA/MD: it lies outside of any.
    (("42081990000", "42081"), ["99999", "0", "0", "0", "0", "0", "0", "-1"]),
    (("NA", "42081"), ["99999", "0", "0", "0", "0", "0", "0", "0"]),
    (("NA", "NA"), ["99999", "0", "0", "0", "0", "0", "0", "0"]),
]


def test_where_the_tract_is_unknown_the_county_counts_and_then_nothing():
    changes = [{"census_tract": tract, "county": county} for (tract, county), _ in FIGURES]
    names = ["derived_msa_md", *places.CENSUS_COLUMNS]
    columns = [published(name, changes, census=CENSUS) for name in names]
    assert [list(row) for row in zip(*columns, strict=True)] == [each for _, each in FIGURES]
