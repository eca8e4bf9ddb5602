"""The made-up facts hold together."""

import polars as pl

from filing import institutions
from filing.reference import census, demo


def test_the_demo_census_has_four_tracts_in_three_counties_of_each_state():
    assert census.counts(demo.census(2024)) == {
        "tracts": 51 * 3 * 4,
        "counties": 51 * 3,
        "small counties": 51,
    }


def test_the_demo_census_has_los_angeles_and_it_is_not_small():
    found = census.facts(demo.census(2024))
    assert "06037123456" in found.tracts.to_list()
    assert "06037" in found.counties.to_list()
    assert "06037" not in found.small_counties.to_list()


def test_a_demo_county_is_small_exactly_when_30000_people_or_fewer_live_there():
    counties = (
        demo.census(2024)
        .group_by("county")
        .agg(pl.col("tract_population").sum(), pl.col("small_county").any())
    )
    by_population = counties["tract_population"] <= 30_000
    assert by_population.to_list() == counties["small_county"].to_list()


def test_the_demo_census_is_the_same_each_time_but_for_its_year():
    assert demo.census_text(2024) == demo.census_text(2024)
    assert demo.census_text(2024).replace("\n2024|", "\n2025|") == demo.census_text(2025)


def test_demo_institutions_have_leis_whose_check_digits_are_right():
    for institution in demo.institutions():
        lei = institutions.check_lei(institution["lei"])
        assert int("".join(str(int(letter, 36)) for letter in lei)) % 97 == 1


def test_demo_institutions_would_pass_the_panel_import():
    known = demo.institutions()
    assert len({institution["lei"] for institution in known}) == 3
    assert [institution["quarterly_filer"] for institution in known] == [True, False, False]
    for institution in known:
        assert institutions.check_tax_id(institution["tax_id"])
        domains = institutions.check_domains(",".join(institution["email_domains"]))
        assert all(domain.endswith(".example") for domain in domains)
