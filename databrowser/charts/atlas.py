"""Names of states and counties, and the shapes of maps: loaded ones, and those of the service.

The latter are TopoJSON: those of counties in degrees, those of states laid out side by side, with
Alaska and Hawaii below the others. Two atlases differ in the states whose counties changed.

Source: us-atlas 3 and us-atlas-2023 4, after the cartographic boundary files of the Census Bureau
of 2017 and 2023.
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

from databrowser.boundaries import loading
from databrowser.boundaries.map_shapes import FEATURE
from databrowser.models import BoundaryKind
from filing.lar.fields import STATES

_EARLIER, _LATER = "vendor/us-atlas", "vendor/us-atlas-2023"
_STATES, _COUNTIES = f"{_EARLIER}/states-albers-10m.json", "counties-10m.json"
_EDITIONS = {_EARLIER: "2017", _LATER: "2023"}
# The first data year of the later counties: Chugach and Copper River for Valdez-Cordova, and the
# planning regions. The counties of all other states are the same in both atlases.
# Source: FFIEC census files of 2022 (Alaska) and 2024 (Connecticut).
_CHANGED = {"AK": 2022, "CT": 2024}
_FAR_STATES = {
    "64": "Federated States of Micronesia",
    "68": "Marshall Islands",
    "70": "Palau",
}
_UNNAMED = {"UM": "Minor Outlying Islands"}
_BY_CODE = {code: state for state, code in STATES.items()}

Topology = dict[str, Any]


@dataclass(frozen=True, eq=False)
class MapShapes:
    """The shapes of a map, which are read once.

    feature: its name in the topology. codes: those of the places drawn. source: where the
    boundaries are from; blank without any.
    west, south, east, north: the bounds in degrees; all 0 if the shapes are already laid out.
    """

    topology: Topology
    feature: str
    codes: frozenset[str]
    source: str = ""
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
    codes = frozenset(geometry["id"] for geometry in geometries)
    return MapShapes(topology, "states", codes, _describe_edition(_EARLIER))


def county_shapes(state: str, *, year: int) -> MapShapes:
    """Return the shapes of the counties of one state in a data year; there may be none.

    They are of the newest file that staff loaded for the year, or else of the vendored atlas.
    """
    if file := loading.find_file(BoundaryKind.COUNTY, state, year):
        return _loaded_shapes(file.folder, state, STATES[state], file.source)
    return vendored_county_shapes(state, year=year)


def vendored_county_shapes(state: str, *, year: int) -> MapShapes:
    """Return the shapes of the counties of one state in a data year that the service comes with."""
    is_earlier = year < _CHANGED.get(state, 0)
    return _county_shapes(state, _EARLIER if is_earlier else _LATER)


def tract_shapes(county: str, *, year: int) -> MapShapes | None:
    """Return the shapes of the census tracts of a county in a data year; none if not loaded."""
    state = state_of(county)
    file = loading.find_file(BoundaryKind.TRACT, state, year) if state else None
    shapes = _loaded_shapes(file.folder, state, county, file.source) if file else None
    return shapes if shapes and shapes.codes else None


@lru_cache(maxsize=64)
def _loaded_shapes(folder: str, state: str, code: str, source: str) -> MapShapes:
    """Return the shapes of the map of a state or county in a loaded file."""
    topology = loading.read_topology(folder, state, code)
    if topology is None:
        return MapShapes({}, FEATURE, frozenset())
    geometries = topology["objects"][FEATURE]["geometries"]
    codes = frozenset(geometry["id"] for geometry in geometries)
    return MapShapes(topology, FEATURE, codes, source, *find_bounds(topology))


@lru_cache(maxsize=64)
def _county_shapes(state: str, folder: str) -> MapShapes:
    atlas = _read(f"{folder}/{_COUNTIES}")
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
    return MapShapes(topology, "counties", codes, _describe_edition(folder), *find_bounds(topology))


def _describe_edition(folder: str) -> str:
    return f"Census Bureau, cartographic boundary file of {_EDITIONS[folder]}"


def find_bounds(topology: Topology) -> tuple[float, float, float, float]:
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
    """Return the names of states and counties by their codes, former counties included."""
    of_states: dict[str, str] = {}
    of_counties: dict[str, str] = {}
    for folder in _EDITIONS:
        objects = _read(f"{folder}/{_COUNTIES}")["objects"]
        for names, kind in ((of_states, "states"), (of_counties, "counties")):
            names |= {
                each["id"]: each["properties"]["name"] for each in objects[kind]["geometries"]
            }
    return of_states | _FAR_STATES, of_counties


# Some 10 MB each in a process that draws maps: reading one takes longer than a page may.
@cache
def _read(name: str) -> Topology:
    path = finders.find(name)
    assert isinstance(path, str), f"{name} is vendored."
    topology: Topology = json.loads(Path(path).read_text())
    return topology
