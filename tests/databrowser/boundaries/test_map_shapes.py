"""Topologies of maps, rounded to a grid: what is small or lies across the date line."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import pytest

from databrowser.boundaries.boundary_files import read_boundaries
from databrowser.boundaries.map_shapes import FEATURE, build_topologies
from databrowser.charts import atlas
from databrowser.models import BoundaryKind
from tests.databrowser.boundaries.files import feature, geojson, make_square

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


def area(ring: list[tuple[int, int]]) -> float:
    return sum(
        first[0] * second[1] - second[0] * first[1]
        for first, second in pairwise(ring)
    ) / 2  # fmt: skip


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
