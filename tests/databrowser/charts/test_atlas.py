"""Shapes of places."""

from __future__ import annotations

import pytest

from databrowser.charts import atlas


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
