"""The census file: what its blanks mean, which counties are small, which lines are refused."""

import pytest
from django.conf import settings

from filing.reference import census
from filing.reference.listing import BadLines

REAL = settings.BASE_DIR.parent / "shared" / "reference"
HEADER = "Collection Year|MSA/MD|State|County|Census Tract|FFIEC Median Family Income|Population|"
HEADER += "Minority Population %|Owner Occupied|1 to 4 Family|Tract MFI|Tract to MSA Income %|"
HEADER += "Median Age|Small County|MSA/MD Name"
SCRANTON = {
    "collection_year": "2020",
    "msa_md": "42540",
    "state": "42",
    "county": "079",
    "census_tract": "215600",
    "ffiec_msa_md_median_family_income": "71700",
    "tract_population": "5422",
    "tract_minority_population_percent": "16.51",
    "tract_owner_occupied_units": "1172",
    "tract_one_to_four_family_homes": "2058",
    "tract_median_family_income": "49107",
    "tract_to_msa_income_percentage": "81.99",
    "tract_median_age_of_housing_units": "76",
    "small_county": "T",
    "msa_md_name": "Scranton--Wilkes-Barre, PA",
}


def file_of(*changes: dict[str, str]) -> bytes:
    """Return a census file of the sample line, changed once for each of its lines."""
    lines = ["|".join((SCRANTON | change).values()) for change in changes]
    return "\n".join([HEADER, *lines, ""]).encode()


def test_a_line_becomes_a_row_with_the_keys_of_a_loan():
    assert census.read_census(file_of({}), year=2020).row(0, named=True) == {
        "collection_year": 2020,
        "msa_md": 42540,
        "county": "42079",
        "census_tract": "42079215600",
        "ffiec_msa_md_median_family_income": 71700,
        "tract_population": 5422,
        "tract_minority_population_percent": 16.51,
        "tract_owner_occupied_units": 1172,
        "tract_one_to_four_family_homes": 2058,
        "tract_median_family_income": 49107,
        "tract_to_msa_income_percentage": 81.99,
        "tract_median_age_of_housing_units": 76,
        "small_county": False,
        "msa_md_name": "Scranton--Wilkes-Barre, PA",
    }


@pytest.mark.parametrize(
    ("column", "meaning"),
    [
        ("msa_md", 99999), ("ffiec_msa_md_median_family_income", 0), ("tract_population", 0),
        ("tract_minority_population_percent", 0.0), ("tract_owner_occupied_units", 0),
        ("tract_one_to_four_family_homes", 0), ("tract_median_family_income", 0),
        ("tract_to_msa_income_percentage", 0.0), ("tract_median_age_of_housing_units", -1),
        ("small_county", False), ("msa_md_name", ""),
    ],
)  # fmt: skip
def test_a_blank_cell_has_its_meaning(column, meaning):
    assert census.read_census(file_of({column: "  "}), year=2020)[column].to_list() == [meaning]


@pytest.mark.parametrize(
    ("column", "cell", "right"),
    [
        ("collection_year", "", "2020"),
        ("collection_year", "2021", "2020"),
        ("msa_md", "4254O", "a whole number, or blank"),
        ("state", "1", "two digits, such as 06"),
        ("county", "79", "three digits, such as 037"),
        ("census_tract", "2156.00", "six digits without a dot"),
        ("ffiec_msa_md_median_family_income", "71,700", "a whole number, or blank"),
        ("tract_minority_population_percent", "16,51", "a number, or blank"),
        ("tract_median_family_income", "99999999999", "a whole number, or blank"),
        ("tract_to_msa_income_percentage", "NaN", "a number, or blank"),
    ],
)
def test_a_bad_cell_is_refused(column, cell, right):
    with pytest.raises(BadLines) as refused:
        census.read_census(file_of({}, {column: cell}), year=2020)
    (bad,) = refused.value.lines
    assert (bad.line, bad.accepted) == (3, right)


@pytest.mark.parametrize(
    ("flag", "is_small"), [("S", True), ("T", False), ("s", False), ("", False)]
)
def test_only_a_capital_s_makes_a_tract_line_small(flag, is_small):
    rows = census.read_census(file_of({"small_county": flag}), year=2020)
    assert rows["small_county"].to_list() == [is_small]


def test_one_small_line_makes_a_county_small():
    rows = census.read_census(
        file_of(
            {"county": "001", "small_county": "S"},
            {"county": "001", "census_tract": "000100", "small_county": "T"},
            {"county": "003"},
        ),
        year=2020,
    )
    assert census.build_census(rows).small_counties.to_list() == ["42001"]


def test_the_last_line_speaks_for_a_county():
    rows = census.read_census(
        file_of({"msa_md": "11111"}, {"county": "001"}, {"msa_md": "22222"}), year=2020
    )
    counties = dict(census.list_counties(rows).select("county", "msa_md").iter_rows())
    assert counties == {"42079": 22222, "42001": 42540}


@pytest.mark.published
@pytest.mark.parametrize(
    ("path", "year", "counts"),
    [
        (REAL / "census_tracts_2022.txt", 2022,
         {"tracts": 85528, "counties": 3234, "small counties": 0, census.BLANK_MSA_MD: 85528}),
    ],
)  # fmt: skip
def test_a_file_of_full_size_is_read(path, year, counts):
    assert census.count_census(census.read_census_lines(path.read_bytes(), year=year)) == counts
