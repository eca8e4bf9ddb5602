"""Names and shapes of states and counties, as the vendored atlas of the Census Bureau has them.

Shapes are TopoJSON: those of counties in degrees, those of states laid out side by side, with
Alaska and Hawaii below the others. What has been founded since has a name here and no shape.

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
class Shapes:
    """What a map is drawn from. feature: of the topology. codes: of the places that it has.

    west, south, east, north: where they lie, in degrees; none where they are laid out already.
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
        """How high the map is, in parts of its width."""
        if self.is_laid_out:
            return 610 / 975
        middle = math.radians((self.south + self.north) / 2)
        return (self.north - self.south) / (self.east - self.west) / math.cos(middle)


def state_name(state: str) -> str:
    """Return what a state is called, or its letters where nobody knows."""
    return _names()[0].get(STATES.get(state, "")) or _UNNAMED.get(state, state)


def county_name(code: str) -> str:
    """Return what a county is called, with the letters of its state, or its code."""
    name = _names()[1].get(code)
    return f"{name}, {state_of(code)}" if name else code


def state_of(county: str) -> str:
    """Return the letters of the state that a county belongs to; none where it belongs to none."""
    return _BY_CODE.get(county[:2], "")


def counties_named(words: str) -> list[str]:
    """Return the codes of the counties whose name, as `county_name` has it, contains a text."""
    wanted = words.casefold()
    return [code for code in _names()[1] if wanted in county_name(code).casefold()]


@cache
def states() -> Shapes:
    """Return the shapes of the states. Those of the territories are not among them."""
    topology = _read(_STATES)
    found = topology["objects"]["states"]["geometries"]
    return Shapes(topology, "states", frozenset(each["id"] for each in found))


@lru_cache(maxsize=16)
def counties(state: str) -> Shapes:
    """Return the shapes of the counties of a state, and no more; it may be that there are none."""
    whole = _read(_COUNTIES)
    code = STATES.get(state, "none")
    found = [
        each for each in whole["objects"]["counties"]["geometries"] if each["id"].startswith(code)
    ]
    used = sorted({_forward(arc) for each in found for arc in _arcs(each["arcs"])})
    places = {arc: place for place, arc in enumerate(used)}
    topology = {
        "type": "Topology",
        "transform": whole["transform"],
        "objects": {
            "counties": {
                "type": "GeometryCollection",
                "geometries": [{**each, "arcs": _moved(each["arcs"], places)} for each in found],
            }
        },
        "arcs": [whole["arcs"][arc] for arc in used],
    }
    codes = frozenset(each["id"] for each in found)
    if not found:
        return Shapes(topology, "counties", codes)
    return Shapes(topology, "counties", codes, *_bounds(topology))


def _bounds(topology: Topology) -> tuple[float, float, float, float]:
    """Return west, south, east, north. West of the date line degrees go on below -180."""
    (scale_x, scale_y), (x, y) = topology["transform"]["scale"], topology["transform"]["translate"]
    across = [x + scale_x * each for arc in topology["arcs"] for each in _summed(arc, 0)]
    up = [y + scale_y * each for arc in topology["arcs"] for each in _summed(arc, 1)]
    if max(across) - min(across) > 180:
        across = [each - 360 if each > 0 else each for each in across]
    return min(across), min(up), max(across), max(up)


def _summed(arc: list[list[int]], axis: int) -> Iterator[int]:
    return accumulate(point[axis] for point in arc)


def _arcs(nested: list[Any]) -> Iterator[int]:
    for each in nested:
        if isinstance(each, int):
            yield each
        else:
            yield from _arcs(each)


def _forward(arc: int) -> int:
    """Return the place of an arc, which stands as its complement where it runs backwards."""
    return arc if arc >= 0 else ~arc


def _moved(nested: list[Any], places: dict[int, int]) -> list[Any]:
    return [
        _moved(each, places)
        if isinstance(each, list)
        else places[each]
        if each >= 0
        else ~places[~each]
        for each in nested
    ]


@cache
def _names() -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of states and counties by their codes."""
    objects = _read(_COUNTIES)["objects"]
    of_states, of_counties = (
        {each["id"]: each["properties"]["name"] for each in objects[kind]["geometries"]}
        for kind in ("states", "counties")
    )
    return of_states | _FAR_STATES, of_counties | _SINCE


def _read(name: str) -> Topology:
    found = finders.find(f"{_FOLDER}/{name}")
    assert isinstance(found, str), f"{name} is vendored."
    read: Topology = json.loads(Path(found).read_text())
    return read
