"""Boundaries as TopoJSON, small enough to draw fast: one topology for each map.

The points of a map are rounded to a grid, so common borders of neighbors stay common; points that
fall together are one. Outer rings go clockwise, as d3 expects.

Source: TopoJSON Format Specification 1.0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from databrowser.boundaries.boundary_files import PlaceBoundary, Ring
from databrowser.models import BoundaryKind

STEPS = 2000  # of the grid, along the longer side of a map; a map is 640 pixels wide
FEATURE = "places"
_FAR = 180  # degrees: a map that is wider lies on both sides of the date line
_SPECK = np.array([(0, 0), (0, 1), (1, 1), (1, 0), (0, 0)], dtype=np.int64)


def build_topologies(
    kind: BoundaryKind, boundaries: Iterable[PlaceBoundary]
) -> dict[str, dict[str, Any]]:
    """Return the topology of each map, by the code of its state or county."""
    by_map: dict[str, list[PlaceBoundary]] = defaultdict(list)
    for boundary in boundaries:
        by_map[boundary.code[: kind.digits_of_map]].append(boundary)
    return {code: _build_topology(places) for code, places in sorted(by_map.items())}


def _build_topology(places: Sequence[PlaceBoundary]) -> dict[str, Any]:
    points = np.concatenate(
        [ring for place in places for rings in place.polygons for ring in rings]
    )
    is_across = bool(np.ptp(points[:, 0]) > _FAR)
    points = _unwrap(points, is_across)
    low = points.min(axis=0)
    step = max(float(np.ptp(points, axis=0).max()) / STEPS, 1e-9)
    arcs: list[list[list[int]]] = []
    geometries = []
    for place in sorted(places, key=lambda place: place.code):
        polygons = []
        for rings in _round_polygons(place, low, step, is_across):
            polygons.append([[len(arcs) + number] for number in range(len(rings))])
            arcs += [_delta_code(ring) for ring in rings]
        geometries.append({"type": "MultiPolygon", "id": place.code, "arcs": polygons})
    return {
        "type": "Topology",
        "transform": {"scale": [step, step], "translate": [float(low[0]), float(low[1])]},
        "objects": {FEATURE: {"type": "GeometryCollection", "geometries": geometries}},
        "arcs": arcs,
    }


def _unwrap(points: Ring, is_across: bool) -> Ring:
    """Return points with degrees that continue below -180 beyond the date line."""
    if not is_across:
        return points
    return np.where((points > 0) & (np.arange(2) == 0), points - 360, points)


def _round_polygons(
    place: PlaceBoundary, low: Ring, step: float, is_across: bool
) -> list[list[Any]]:
    """Return the polygons of a place on the grid, without those that have no area there."""
    polygons = []
    for rings in place.polygons:
        rounded = [_round_ring((_unwrap(ring, is_across) - low) / step) for ring in rings]
        if _double_area(rounded[0]):
            polygons.append(
                [
                    ring if (_double_area(ring) < 0) == (number == 0) else ring[::-1]
                    for number, ring in enumerate(rounded)
                    if _double_area(ring)
                ]
            )
    if not polygons:  # the place is smaller than a step
        first = np.rint((_unwrap(place.polygons[0][0][:1], is_across) - low) / step)
        polygons = [[_SPECK + first.astype(np.int64)]]
    return polygons


def _round_ring(ring: Ring) -> Any:
    """Return a ring on the grid, each point once in a row."""
    points = np.rint(ring).astype(np.int64)
    is_new = np.append(True, (np.diff(points, axis=0) != 0).any(axis=1))
    return points[is_new]


def _double_area(ring: Any) -> int:
    """Return twice the area of a ring, negative if it goes clockwise."""
    x, y = ring[:, 0], ring[:, 1]
    return int(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))


def _delta_code(ring: Any) -> list[list[int]]:
    steps = np.diff(ring, axis=0, prepend=np.zeros((1, 2), dtype=np.int64))
    return [list(map(int, point)) for point in steps.tolist()]
