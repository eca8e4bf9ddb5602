"""The made-up census holds together."""

import polars as pl

from filing.demo import census as demo_census
from filing.reference import census


def test_the_demo_census_has_four_tracts_in_three_counties_of_each_state():
    assert census.count_census(demo_census.make_census_rows(2024)) == {
        "tracts": 51 * 3 * 4,
        "counties": 51 * 3,
        "small counties": 51,
    }


def test_the_demo_census_has_los_angeles_and_it_is_not_small():
    found = census.build_census(demo_census.make_census_rows(2024))
    assert "06037123456" in found.tracts.to_list()
    assert "06037" in found.counties.to_list()
    assert "06037" not in found.small_counties.to_list()


def test_a_demo_county_is_small_exactly_when_30000_people_or_fewer_live_there():
    counties = (
        demo_census.make_census_rows(2024)
        .group_by("county")
        .agg(pl.col("tract_population").sum(), pl.col("small_county").any())
    )
    by_population = counties["tract_population"] <= 30_000
    assert by_population.to_list() == counties["small_county"].to_list()


def test_the_demo_census_is_the_same_each_time_but_for_its_year():
    assert demo_census.write_census(2024) == demo_census.write_census(2024)
    assert demo_census.write_census(2024).replace("\n2024|", "\n2025|") == demo_census.write_census(
        2025
    )
