"""Maps of figures by place: places as links with their figures, a legend, and the map as a file.

A page draws the outlines itself, which are computed once, and colors them by its figures: so a map
with other figures costs no drawing. Files are drawn by Vega-Lite, with title and legend.
"""

from __future__ import annotations

import itertools
import math
import re
import textwrap
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any

from databrowser.charts.atlas import MapShapes
from filing.charts import drawing
from filing.charts.theme import GREY, INK, NOTHING, PAPER, SHADES, UNAVAILABLE
from filing.errors import BadInput

MAX_BREAKS = len(SHADES) - 1
_USUAL_CLASSES = 5
LONGEST_BREAKS = 120  # characters
_MOST_DIGITS = 7  # of a break that has to be told from the next
_LETTER = 8  # pixels that a letter takes at most
_GRID = 3  # tenths of a pixel between the points of an outline: no eye sees less
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,6})?", re.ASCII)
_OUTLINE = re.compile(r'<path aria-label="(\w+)"[^>]*? d="([^"]+)"')


class PlaceLevel(StrEnum):
    """The kinds of places that a map has."""

    STATE = "state"
    COUNTY = "county"
    TRACT = "tract"

    @property
    def label(self) -> str:
        """The kind of place in words."""
        return "census tract" if self is PlaceLevel.TRACT else self.value

    @property
    def plural(self) -> str:
        return _PLURALS[self]


_PLURALS = {
    PlaceLevel.STATE: "states",
    PlaceLevel.COUNTY: "counties",
    PlaceLevel.TRACT: "census tracts",
}


@dataclass(frozen=True, slots=True)
class PlaceFigure:
    """The figure of a place. code: that of its shape, with 2, 5 or 11 digits.

    value: none where it is not available. text: the figure in words. address: of the page that goes
    into the place; blank if there is none. is_of_few: it is of few records.
    """

    code: str
    label: str
    value: float | None
    text: str
    address: str = ""
    is_of_few: bool = False

    @property
    def name(self) -> str:
        """The place with its figure."""
        return f"{self.label}: {self.text}"


@dataclass(frozen=True, slots=True)
class MapPlace:
    """A place as it is drawn. outline: its path in SVG. figure: none where it has no records."""

    figure: PlaceFigure | None
    outline: str
    color: str


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A color of the map, and what it means."""

    color: str
    text: str


@dataclass(frozen=True, slots=True)
class PlaceStep:
    """A place on the way from the country to the map. address: blank for the map itself."""

    label: str
    address: str = ""


@dataclass(frozen=True)
class PlaceMap:
    """A map of figures by place.

    chosen_breaks: the breaks of the legend as entered; blank for round quantiles. is_whole: the
    values are whole numbers. format_value: with how many more digits than usual. without: what
    places without a figure mean. few_records: what few are, in words. notes: sentences about the
    boundaries. steps: the way from the country to here. inner: what one sees of a place that one
    goes into, such as counties.
    """

    level: PlaceLevel
    shapes: MapShapes
    figures: Sequence[PlaceFigure]
    measure: str
    title: str
    description: str
    format_value: Callable[[float, int], str]
    chosen_breaks: str = ""
    is_whole: bool = True
    without: str = "no records"
    few_records: str = "few records"
    notes: Sequence[str] = ()
    steps: Sequence[PlaceStep] = ()
    inner: str = ""

    @cached_property
    def by_code(self) -> dict[str, PlaceFigure]:
        """The figures of the places that have a shape."""
        return {each.code: each for each in self.figures if each.code in self.shapes.codes}

    @property
    def has_figures(self) -> bool:
        """Whether any place with records has a shape."""
        return bool(self.by_code)

    @property
    def off_the_map(self) -> list[PlaceFigure]:
        """The places with a figure but without a shape, by name."""
        others = (each for each in self.figures if each.code not in self.shapes.codes)
        return sorted(others, key=lambda figure: figure.label)

    @cached_property
    def _values(self) -> list[float]:
        return sorted(each.value for each in self.by_code.values() if each.value is not None)

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """The values at which the colors change: those chosen if they are usable."""
        if self.chosen_breaks and not self.refusal:
            chosen = read_breaks(self.chosen_breaks)
            return tuple(sorted({*map(math.ceil, chosen)})) if self.is_whole else chosen
        return find_breaks(self._values, is_whole=self.is_whole)

    @property
    def breaks_text(self) -> str:
        """The breaks as they are entered."""
        return ",".join(f"{value:.6f}".rstrip("0").rstrip(".") for value in self.breaks)

    @cached_property
    def refusal(self) -> str:
        """Why the chosen breaks are not used; blank if they are."""
        try:
            read_breaks(self.chosen_breaks)
        except BadInput as refusal:
            return refusal.message
        return ""

    @cached_property
    def legend(self) -> list[LegendEntry]:
        """The colors in ascending order, then those of places without a figure."""
        entries = [
            LegendEntry(color, text)
            for color, text in zip(self._colors, self._ranges, strict=True)
            if self._values
        ]
        if any(figure.value is None for figure in self.by_code.values()):
            entries.append(LegendEntry(UNAVAILABLE, "not available"))
        if self.shapes.codes - self.by_code.keys():
            entries.append(LegendEntry(NOTHING, self.without))
        return entries

    @property
    def _colors(self) -> list[str]:
        number = len(self.breaks) + 1
        if number == 1:
            return [SHADES[-2]]
        return [SHADES[place * (len(SHADES) - 1) // (number - 1)] for place in range(number)]

    @property
    def _ranges(self) -> list[str]:
        """The range of values of each color in words."""
        breaks = self.breaks
        if not breaks:
            ends = (*self._values[:1], *self._values[-1:])
            return [" to ".join(dict.fromkeys(self.format_value(each, 0) for each in ends))]
        text = self._spell_apart(breaks)
        ranges = [f"under {text(breaks[0])}"]
        for begin, end in itertools.pairwise(breaks):
            last = text(end - 1) if self.is_whole else f"under {text(end)}"
            first = text(begin)
            ranges.append(first if first == last else f"{first} to {last}")
        return [*ranges, f"{text(breaks[-1])} or more"]

    def _spell_apart(self, breaks: Sequence[float]) -> Callable[[float], str]:
        """Return how breaks are spelled: with as many digits as tell each from the next."""
        digits = (
            more
            for more in range(_MOST_DIGITS)
            if len({self.format_value(each, more) for each in breaks}) == len(breaks)
        )
        more = next(digits, _MOST_DIGITS)
        return lambda value: self.format_value(value, more)

    @property
    def coverage(self) -> str:
        """How many places each shade covers, as a sentence; blank without values."""
        numbers = Counter(bisect_right(self.breaks, value) for value in self._values)
        if not numbers:
            return ""
        least = min(numbers[place] for place in range(len(self.breaks) + 1))
        most = max(numbers.values())
        noun = self.level.label if most == 1 else self.level.plural
        number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        return f"Each shade covers {number} {noun}."

    @property
    def few(self) -> str:
        """What the places whose outline is dashed have; blank if there are none."""
        is_drawn = any(figure.is_of_few for figure in self.by_code.values())
        return self.few_records if is_drawn else ""

    def _color(self, code: str) -> str:
        figure = self.by_code.get(code)
        if figure is None:
            return NOTHING
        if figure.value is None:
            return UNAVAILABLE
        return self._colors[bisect_right(self.breaks, figure.value)]

    @cached_property
    def places(self) -> list[MapPlace]:
        """The places as they are drawn, those with a figure last and by name."""
        outlines = draw_outlines(self.shapes, drawing.WIDTH)
        drawn = [
            MapPlace(self.by_code.get(code), outline, self._color(code))
            for code, outline in outlines.items()
        ]
        return sorted(drawn, key=lambda place: place.figure.label if place.figure else "")

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the map in the units of its outlines."""
        return drawing.WIDTH, _height(self.shapes, drawing.WIDTH)

    def svg(self, width: int = drawing.WIDTH) -> str:
        """Return the map as an SVG file, with title and legend."""
        return drawing.draw_picture(self._specification(width), self.description)

    def png(self, width: int = drawing.WIDTH) -> bytes:
        """Return the map as a PNG file, with title and legend."""
        return drawing.draw_png(self._specification(width))

    def _specification(self, width: int) -> dict[str, Any]:
        names = [entry.text for entry in self.legend]
        of_color = {entry.color: entry.text for entry in self.legend}
        rows = [
            {
                "id": code,
                "class": of_color[self._color(code)],
                "few": code in self.by_code and self.by_code[code].is_of_few,
            }
            for code in sorted(self.shapes.codes)
        ]
        few = f"Dashed outlines: {self.few}." if self.few else ""
        longest = max(map(len, names), default=1) * _LETTER + 30
        letters = width // 7  # of a line
        color = {
            "field": "class",
            "type": "nominal",
            "scale": {"domain": names, "range": [entry.color for entry in self.legend]},
            "legend": {
                "orient": "bottom",
                "title": None,
                "columns": max(1, min(len(names), width // longest)),
                "symbolStrokeColor": GREY,
                "symbolStrokeWidth": 0.5,
                "symbolSize": 160,
                "labelLimit": width,
            },
        }
        return _shape_specification(self.shapes, width) | {
            "title": {
                "text": textwrap.wrap(self.title, letters),
                "subtitle": textwrap.wrap(" ".join((*self.notes, few, self.source)), letters),
            },
            "padding": 16,
            "transform": [
                {
                    "lookup": "id",
                    "from": {"data": {"values": rows}, "key": "id", "fields": ["class", "few"]},
                }
            ],
            "encoding": {
                "color": color,
                "stroke": {"condition": {"test": "datum.few", "value": INK}, "value": PAPER},
                "strokeDash": {
                    "condition": {"test": "datum.few", "value": [3, 2]},
                    "value": [1, 0],
                },
            },
        }

    @property
    def source(self) -> str:
        """Where the boundaries are from, as a sentence."""
        return f"Boundaries: {self.shapes.source}." if self.shapes.source else ""


def read_breaks(text: str) -> tuple[float, ...]:
    """Return the breaks of a legend: ascending numbers, separated by commas; none if blank.

    Raises: BadInput.
    """
    words = [word for part in text[:LONGEST_BREAKS].split(",") if (word := part.strip())]
    if not words:
        return ()
    accepted = f"enter 1 to {MAX_BREAKS} ascending numbers, such as 10,100,1000"
    for word in words:
        if not _NUMBER.fullmatch(word):
            raise BadInput(f'The breaks of the map have "{word[:40]}"; {accepted}.')
    values = tuple(map(float, words))
    if len(values) > MAX_BREAKS:
        raise BadInput(f"The breaks of the map are {len(values)} numbers; {accepted}.")
    for first, second in itertools.pairwise(values):
        if second <= first:
            raise BadInput(f"The breaks of the map have {second:g} after {first:g}; {accepted}.")
    return values


def find_breaks(values: Sequence[float], *, is_whole: bool) -> tuple[float, ...]:
    """Return round breaks that put about as many of the ascending values into each class.

    They have two digits, or as many as keep the classes apart.
    """
    number = min(_USUAL_CLASSES, len(set(values)))
    # A class of its own for the least value, if many have it.
    least = next((value for value in values if value > values[0]), 0)
    cuts = {max(least, values[len(values) * part // number]) for part in range(1, number)}
    for digits in range(2, _MOST_DIGITS):
        rounded = {_round(cut, digits, is_whole=is_whole) for cut in cuts}
        rounded = {cut for cut in rounded if cut > values[0]}
        if len(rounded) == len(cuts):
            break
    return tuple(sorted(rounded))


def _round(value: float, digits: int, *, is_whole: bool) -> float:
    """Return a value rounded down to some digits."""
    if not value:
        return 0.0
    power = math.floor(math.log10(abs(value))) - digits + 1
    if is_whole:
        power = max(power, 0)
    # 6.254 is not 6,253.999… thousandths.
    return round(math.floor(round(value / 10.0**power, 6)) * 10.0**power, 9)


@lru_cache(maxsize=64)
def draw_outlines(shapes: MapShapes, width: int) -> dict[str, str]:
    """Return the outline of each place as the path of an SVG, by code. Units: tenths of a pixel."""
    specification = _shape_specification(shapes, width) | {
        "encoding": {"description": {"field": "id", "type": "nominal"}}
    }
    return {
        code: _shorten(path)
        for code, path in _OUTLINE.findall(drawing.draw_picture(specification, ""))
    }


def _shorten(path: str) -> str:
    """Return a path in tenths of a pixel, with steps in place of points: a third as long.

    Points are on a grid, and neighbors round their common points alike. Islands that fall together
    in a point are left out.
    """
    rings = []
    for points in path.split("M")[1:]:
        pairs = (point.split(",") for point in points.rstrip("Z").split("L"))
        places = ((_on_grid(x), _on_grid(y)) for x, y in pairs)
        x, y = zip(*places, strict=True)
        steps = ((x[at] - x[at - 1], y[at] - y[at - 1]) for at in range(1, len(x)))
        lines = " ".join(f"{across},{down}" for across, down in steps if across or down)
        rings.append((f"M{x[0]},{y[0]}", lines))
    drawn = [f"{begin}l{lines}z" for begin, lines in rings if lines]
    return "".join(drawn) or f"{rings[0][0]}h1v1z"


def _on_grid(pixels: str) -> int:
    return round(float(pixels) * 10 / _GRID) * _GRID


def _height(shapes: MapShapes, width: int) -> int:
    tallest = 1.2 if width <= drawing.NARROW else 0.75
    return round(width * min(max(shapes.height, 0.4), tallest))


def _shape_specification(shapes: MapShapes, width: int) -> dict[str, Any]:
    """Return the parts of a specification of Vega-Lite that draw the shapes."""
    return {
        "width": width,
        "height": _height(shapes, width),
        "data": {
            "values": shapes.topology,
            "format": {"type": "topojson", "feature": shapes.feature},
        },
        "projection": _projection(shapes),
        "mark": {"type": "geoshape", "stroke": PAPER, "strokeWidth": 0.7},
    }


def _projection(shapes: MapShapes) -> dict[str, Any]:
    """Return the map projection: for a single state an equal-area one around its center."""
    if shapes.is_laid_out:
        return {"type": "identity"}
    high = (shapes.north - shapes.south) / 6
    return {
        "type": "conicEqualArea",
        "rotate": [-(shapes.west + shapes.east) / 2, 0, 0],
        "parallels": [shapes.south + high, shapes.north - high],
    }
