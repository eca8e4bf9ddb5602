"""Names and shapes of places."""

from __future__ import annotations

import pytest

from databrowser.charts import atlas
from filing.lar.fields import STATES


def test_places_have_names() -> None:
    assert atlas.state_name("TX") == "Texas"
    assert atlas.county_name("48201") == "Harris, TX"
    assert atlas.county_name("09190") == "Western Connecticut, CT"
    assert atlas.county_name("09001") == "Fairfield, CT"
    assert atlas.county_name("99999") == "99999"
    assert "06037" in atlas.counties_named("los angeles, ca")
    assert all(atlas.state_name(state) != state for state in STATES)


@pytest.mark.parametrize(
    ("state", "number"), [("TX", 254), ("AK", 29), ("PR", 78), ("DC", 1), ("UM", 0), ("none", 0)]
)
def test_a_state_has_the_shapes_of_its_counties_and_no_more(state: str, number: int) -> None:
    shapes = atlas.vendored_county_shapes(state, year=2021)
    assert len(shapes.codes) == number
    assert {atlas.state_of(code) for code in shapes.codes} <= {state}
    arcs = shapes.topology["arcs"]
    used = set(
        atlas._arcs([each["arcs"] for each in shapes.topology["objects"]["counties"]["geometries"]])
    )
    assert {atlas._forward(arc) for arc in used} == set(range(len(arcs)))


@pytest.mark.parametrize(
    ("state", "last", "earlier", "later"),
    [
        ("CT", 2023, {"09001"}, {"09110", "09190"}),
        ("AK", 2021, {"02261"}, {"02063", "02066"}),
    ],
)
def test_each_year_has_the_counties_of_its_data(state, last, earlier, later) -> None:
    before, after = (atlas.vendored_county_shapes(state, year=year) for year in (last, last + 1))
    assert earlier <= before.codes
    assert later.isdisjoint(before.codes)
    assert later <= after.codes
    assert earlier.isdisjoint(after.codes)
    assert before.source != after.source


@pytest.mark.parametrize("year", [2018, 2030])
def test_other_states_have_one_set_of_counties(year) -> None:
    others = set(STATES) - {"AK", "CT"}
    for state in others:
        shapes = atlas.vendored_county_shapes(state, year=year)
        assert shapes is atlas.vendored_county_shapes(state, year=2022)


def test_alaska_lies_in_one_piece_on_this_side_of_the_date_line() -> None:
    shapes = atlas.vendored_county_shapes("AK", year=2021)
    assert -190 < shapes.west < -180
    assert -131 < shapes.east < -129
    assert not shapes.is_laid_out
    assert atlas.state_shapes().is_laid_out


def test_the_map_of_the_states_has_all_of_them_and_the_district() -> None:
    assert len(atlas.state_shapes().codes) == 51
    assert STATES["PR"] not in atlas.state_shapes().codes
