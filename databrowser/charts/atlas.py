"""Names and shapes of states and counties, from the vendored atlas of the Census Bureau.

Shapes are TopoJSON: those of counties in degrees, those of states laid out side by side, with
Alaska and Hawaii below the others. Counties created since then have a name here but no shape.

Source: us-atlas 3, after the cartographic boundary files of the Census Bureau of 2017; county
changes of the Census Bureau, 2019 (Alaska) and 2022 (Connecticut).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders

from filing.lar.fields import STATES

_FOLDER = "vendor/us-atlas"
_STATES, _COUNTIES = "states-albers-10m.json", "counties-10m.json"
_SINCE = {
    "02063": "Chugach",
    "02066": "Copper River",
    "09110": "Capitol",
    "09120": "Greater Bridgeport",
    "09130": "Lower Connecticut River Valley",
    "09140": "Naugatuck Valley",
    "09150": "Northeastern Connecticut",
    "09160": "Northwest Hills",
    "09170": "South Central Connecticut",
    "09180": "Southeastern Connecticut",
    "09190": "Western Connecticut",
}
_FAR_STATES = {
    "64": "Federated States of Micronesia",
    "68": "Marshall Islands",
    "70": "Palau",
}
_UNNAMED = {"UM": "Minor Outlying Islands"}
_BY_CODE = {code: state for state, code in STATES.items()}

Topology = dict[str, Any]


@dataclass(frozen=True)
class MapShapes:
    """The shapes of a map. feature: its name in the topology. codes: those of the places drawn.

    west, south, east, north: the bounds in degrees; all 0 if the shapes are already laid out.
    """

    topology: Topology
    feature: str
    codes: frozenset[str]
    west: float = 0.0
    south: float = 0.0
    east: float = 0.0
    north: float = 0.0

    @property
    def is_laid_out(self) -> bool:
        return self.west == self.east

    @property
    def height(self) -> float:
        """The height of the map relative to its width."""
        if self.is_laid_out:
            return 610 / 975
        middle = math.radians((self.south + self.north) / 2)
        return (self.north - self.south) / (self.east - self.west) / math.cos(middle)


def state_name(state: str) -> str:
    """Return the name of a state, or its letters if the name is not known."""
    return _names()[0].get(STATES.get(state, "")) or _UNNAMED.get(state, state)


def county_name(code: str) -> str:
    """Return the name of a county and the letters of its state, or its code if not known."""
    name = _names()[1].get(code)
    return f"{name}, {state_of(code)}" if name else code


def state_of(county: str) -> str:
    """Return the letters of the state of a county; blank if it belongs to none."""
    return _BY_CODE.get(county[:2], "")


def counties_named(words: str) -> list[str]:
    """Return the codes of the counties whose `county_name` contains the words."""
    text = words.casefold()
    return [code for code in _names()[1] if text in county_name(code).casefold()]


@cache
def state_shapes() -> MapShapes:
    """Return the shapes of the states, without the territories."""
    topology = _read(_STATES)
    geometries = topology["objects"]["states"]["geometries"]
    return MapShapes(topology, "states", frozenset(geometry["id"] for geometry in geometries))


@lru_cache(maxsize=16)
def county_shapes(state: str) -> MapShapes:
    """Return the shapes of the counties of one state; there may be none."""
    atlas = _read(_COUNTIES)
    code = STATES.get(state, "none")
    geometries = [
        geometry
        for geometry in atlas["objects"]["counties"]["geometries"]
        if geometry["id"].startswith(code)
    ]
    arcs = sorted({_forward(arc) for geometry in geometries for arc in _arcs(geometry["arcs"])})
    positions = {arc: place for place, arc in enumerate(arcs)}
    topology = {
        "type": "Topology",
        "transform": atlas["transform"],
        "objects": {
            "counties": {
                "type": "GeometryCollection",
                "geometries": [
                    {**geometry, "arcs": _moved(geometry["arcs"], positions)}
                    for geometry in geometries
                ],
            }
        },
        "arcs": [atlas["arcs"][arc] for arc in arcs],
    }
    codes = frozenset(geometry["id"] for geometry in geometries)
    if not geometries:
        return MapShapes(topology, "counties", codes)
    return MapShapes(topology, "counties", codes, *_bounds(topology))


def _bounds(topology: Topology) -> tuple[float, float, float, float]:
    """Return west, south, east and north. Beyond the date line, degrees continue below -180."""
    (scale_x, scale_y), (x, y) = topology["transform"]["scale"], topology["transform"]["translate"]
    across = [
        x + scale_x * difference for arc in topology["arcs"] for difference in _summed(arc, 0)
    ]
    up = [y + scale_y * difference for arc in topology["arcs"] for difference in _summed(arc, 1)]
    if max(across) - min(across) > 180:
        across = [degrees - 360 if degrees > 0 else degrees for degrees in across]
    return min(across), min(up), max(across), max(up)


def _summed(arc: list[list[int]], axis: int) -> Iterator[int]:
    return accumulate(point[axis] for point in arc)


def _arcs(nested: list[Any]) -> Iterator[int]:
    for part in nested:
        if isinstance(part, int):
            yield part
        else:
            yield from _arcs(part)


def _forward(arc: int) -> int:
    """Return the position of an arc, which is stored as its complement if it runs backwards."""
    return arc if arc >= 0 else ~arc


def _moved(nested: list[Any], positions: dict[int, int]) -> list[Any]:
    return [
        _moved(part, positions)
        if isinstance(part, list)
        else positions[part]
        if part >= 0
        else ~positions[~part]
        for part in nested
    ]


@cache
def _names() -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of states and counties by their codes."""
    objects = _read(_COUNTIES)["objects"]
    of_states, of_counties = (
        {geometry["id"]: geometry["properties"]["name"] for geometry in objects[kind]["geometries"]}
        for kind in ("states", "counties")
    )
    return of_states | _FAR_STATES, of_counties | _SINCE


def _read(name: str) -> Topology:
    path = finders.find(f"{_FOLDER}/{name}")
    assert isinstance(path, str), f"{name} is vendored."
    topology: Topology = json.loads(Path(path).read_text())
    return topology
