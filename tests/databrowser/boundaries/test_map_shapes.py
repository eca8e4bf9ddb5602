"""Topologies of maps: rounded to a grid, common borders kept, clockwise, drawn by Vega-Lite."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest

from databrowser.boundaries.boundary_files import read_boundaries
from databrowser.boundaries.map_shapes import FEATURE, build_topologies
from databrowser.charts import atlas, maps
from databrowser.charts.atlas import MapShapes
from databrowser.models import BoundaryKind
from tests.databrowser.boundaries.files import counties, feature, geojson, make_square

COUNTY, TRACT = BoundaryKind.COUNTY, BoundaryKind.TRACT


def build_topology(kind: BoundaryKind, data: bytes, code: str) -> dict[str, Any]:
    return build_topologies(kind, read_boundaries(kind, data, name="x"))[code]


def rings(topology: dict[str, Any]) -> dict[str, list[list[tuple[int, int]]]]:
    """Return the points of the rings of each place on the grid."""
    return {
        geometry["id"]: [
            [
                *accumulate(
                    map(tuple, topology["arcs"][arc]), lambda a, b: (a[0] + b[0], a[1] + b[1])
                )
            ]
            for polygon in geometry["arcs"]
            for (arc,) in polygon
        ]
        for geometry in topology["objects"][FEATURE]["geometries"]
    }


def read_shapes(topology: dict[str, Any]) -> MapShapes:
    codes = frozenset(rings(topology))
    return MapShapes(topology, FEATURE, codes, "a file", *atlas.find_bounds(topology))


def area(ring: list[tuple[int, int]]) -> float:
    return sum(
        first[0] * second[1] - second[0] * first[1]
        for first, second in pairwise(ring)
    ) / 2  # fmt: skip


def test_counties_make_a_map_of_each_state_and_tracts_of_each_county() -> None:
    boundaries = read_boundaries(COUNTY, counties("10001", "10003", "24001"), name="x")
    assert list(build_topologies(COUNTY, boundaries)) == ["10", "24"]
    tracts = counties("10001000100", "10001000200", "10003000100")
    assert list(build_topologies(TRACT, read_boundaries(TRACT, tracts, name="x"))) == [
        "10001",
        "10003",
    ]


def test_neighbors_keep_their_common_points_and_others_fall_together() -> None:
    x = [-75 + 0.0003 * step for step in range(1000)]
    border = [[each, 39.1 + 1e-7 * place] for place, each in enumerate(x)]
    above = [*border, [x[-1], 39.3], [x[0], 39.3], border[0]]
    below = [*reversed(border), [x[0], 38.9], [x[-1], 38.9], border[-1]]
    drawn = rings(
        build_topology(COUNTY, geojson(feature("10001", above), feature("10003", below)), "10")
    )
    (first,), (second,) = drawn.values()
    assert len(set(first) & set(second)) > 500
    near = build_topology(
        COUNTY, geojson(feature("10001", above), feature("10003", make_square(40, 0))), "10"
    )
    assert len(rings(near)["10001"][0]) < 200  # of a wider map, whose grid is coarser


@pytest.mark.parametrize("is_reversed", [False, True])
def test_outer_rings_go_clockwise_and_holes_the_other_way(is_reversed: bool) -> None:
    hole = [[-74.97, 39.03], [-74.93, 39.03], [-74.93, 39.07], [-74.97, 39.07], [-74.97, 39.03]]
    outer = make_square(0, 0)
    polygon = [outer[::-1], hole[::-1]] if is_reversed else [outer, hole]
    data = geojson({"properties": {"GEOID": "10001"},
                    "geometry": {"type": "Polygon", "coordinates": polygon}})  # fmt: skip
    drawn = build_topologies(COUNTY, read_boundaries(COUNTY, data, name="x"))["10"]
    ((arcs,),) = [each["arcs"] for each in drawn["objects"][FEATURE]["geometries"]]
    assert len(arcs) == 2
    points = [np.cumsum(drawn["arcs"][arc], axis=0).tolist() for (arc,) in arcs]
    assert area(points[0]) < 0 < area(points[1])


def test_a_place_smaller_than_a_step_stays_on_the_map() -> None:
    speck = [[x / 1e6 - 75, y / 1e6 + 39] for x, y in make_square(0, 0, west=0, south=0)]
    drawn = build_topology(
        COUNTY, geojson(feature("10001", speck), feature("10003", make_square(30, 30))), "10"
    )
    assert {code: len(each) for code, each in rings(drawn).items()} == {"10001": 1, "10003": 1}
    assert abs(area(rings(drawn)["10001"][0])) == 1


def test_a_state_across_the_date_line_lies_in_one_piece() -> None:
    east = make_square(0, 0, west=179.8, south=52)
    west = make_square(0, 0, west=-179.9, south=52)
    drawn = build_topology(COUNTY, geojson(feature("02016", east), feature("02013", west)), "02")
    bounds = atlas.find_bounds(drawn)
    assert bounds == pytest.approx((-180.2, 52, -179.8, 52.1), abs=0.01)


def test_the_largest_county_is_drawn_in_a_size_that_loads_fast() -> None:
    """2,500 tracts of 60 points each, as Los Angeles has."""
    side, points = 50, 15
    step = np.linspace(0, 1, points, endpoint=False)
    wave = 0.02 * np.sin(np.linspace(0, 6, points))
    edges = [
        np.column_stack([wave, step]), np.column_stack([step, 1 + wave]),
        np.column_stack([1 + wave[::-1], 1 - step]), np.column_stack([1 - step, wave[::-1]]),
    ]  # fmt: skip
    ring = np.concatenate([*edges, edges[0][:1]])
    data = geojson(
        *(
            feature(
                f"06037{number:06d}", ((ring + divmod(number, side)) / 40 - (119, -33)).tolist()
            )
            for number in range(side * side)
        )
    )
    drawn = read_shapes(build_topology(TRACT, data, "06037"))
    outlines = maps.draw_outlines(drawn, 640)
    assert outlines.keys() == drawn.codes
    assert sum(map(len, outlines.values())) < 1_000_000
