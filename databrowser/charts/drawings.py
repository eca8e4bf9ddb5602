"""Charts of query results: a bar for each value, and a map in shades of blue.

The figures are also given beside the bars and in the table below a map.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from databrowser.charts.atlas import MapShapes
from filing.charts import drawing

SHADES = ("#d9e8f6", "#a9cbe8", "#73a9d6", "#3d82bd", "#005ea2", "#162e51")
NOTHING, OUTLINE = "#f0f0f0", "#ffffff"
_BAR, _STEP = 18, 30  # pixels
_LETTER = 8  # pixels that a letter takes at most
_LABELS = 270


@dataclass(frozen=True)
class ChartFigure:
    """A value with its name and its text. key: the code of its shape on a map."""

    label: str
    value: float
    text: str
    key: str = ""


def draw_bars(
    figures: Sequence[ChartFigure], *, description: str, width: int = drawing.WIDTH
) -> str:
    """Return a bar chart as SVG: one bar per figure, with its name and value.

    On a narrow chart the name is above its bar.
    """
    is_narrow = width <= drawing.NARROW
    step = 2 * _STEP - 6 if is_narrow else _STEP
    most = max((figure.value for figure in figures), default=0) or 1
    longest = max((len(figure.text) for figure in figures), default=0) * _LETTER + 8
    plot = width if is_narrow else width - _LABELS
    y: dict[str, Any] = {
        "field": "label",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": None
        if is_narrow
        else {
            "domain": False,
            "ticks": False,
            "labelPadding": 8,
            "labelLimit": _LABELS,
            "labelFontSize": 13,
        },
    }
    x = {
        "field": "value",
        "type": "quantitative",
        "axis": None,
        "scale": {"domain": [0, most * plot / max(plot - longest, 1)]},
    }
    down = step / 2 - _BAR / 2 - 4 if is_narrow else 0
    texts: dict[str, Any] = {"type": "text", "align": "left", "fontSize": 13, "color": drawing.INK}
    layer: list[dict[str, Any]] = [
        {"mark": {"type": "bar", "color": drawing.BLUE, "height": _BAR, "yOffset": down}},
        {
            "mark": {**texts, "dx": 6, "yOffset": down, "baseline": "middle"},
            "encoding": {"text": {"field": "written"}},
        },
    ]
    if is_narrow:
        names = {**texts, "x": 0, "yOffset": down - _BAR, "baseline": "middle"}
        layer.append({"mark": names, "encoding": {"text": {"field": "label"}, "x": {"value": 0}}})
    rows = [
        {"label": figure.label, "value": figure.value, "written": figure.text} for figure in figures
    ]
    spec = {
        "width": plot,
        "height": {"step": step},
        "data": {"values": rows},
        "encoding": {"x": x, "y": y},
        "layer": layer,
    }
    return drawing.draw_picture(spec, description)


def draw_map(
    shapes: MapShapes,
    figures: Sequence[ChartFigure],
    *,
    classes: Sequence[tuple[float, str]],
    nothing: str,
    description: str,
    width: int = drawing.WIDTH,
) -> str:
    """Return a map as SVG, each place in the shade of its class.

    classes: the lower bound of each, ascending, and its name in the legend. nothing: the name for
    places without a value.
    """
    tallest = 1.2 if width <= drawing.NARROW else 0.75
    height = round(width * min(max(shapes.height, 0.4), tallest))
    label = _labels(figures, classes)
    names = [name for _, name in classes]
    colours = _shades(len(names))
    if without := shapes.codes - label.keys():
        label |= dict.fromkeys(without, nothing)
        names, colours = [nothing, *names], [NOTHING, *colours]
    longest = max(map(len, names)) * _LETTER + 30
    spec = {
        "width": width,
        "height": height,
        "data": {
            "values": shapes.topology,
            "format": {"type": "topojson", "feature": shapes.feature},
        },
        "transform": [
            {
                "lookup": "id",
                "from": {
                    "data": {"values": [{"id": key, "of": name} for key, name in label.items()]},
                    "key": "id",
                    "fields": ["of"],
                },
            }
        ],
        "projection": _projection(shapes),
        "mark": {"type": "geoshape", "stroke": OUTLINE, "strokeWidth": 0.7},
        "encoding": {
            "color": {
                "field": "of",
                "type": "nominal",
                "scale": {"domain": names, "range": colours},
                "legend": {
                    "orient": "bottom",
                    "title": None,
                    "columns": max(1, min(len(names), width // longest)),
                    "symbolStrokeColor": drawing.GREY,
                    "symbolStrokeWidth": 0.5,
                    "symbolSize": 160,
                    "labelLimit": width,
                },
            }
        },
    }
    return drawing.draw_picture(spec, description)


def value_classes(values: Sequence[float]) -> list[float]:
    """Return the lower bound of each shade, in round numbers, for about as many places in each.

    Values of 0 or less have no class.
    """
    ordered = sorted(value for value in values if value > 0)
    if not ordered:
        return []
    number = min(len(SHADES) - 1, len(set(ordered)))
    cuts = [ordered[len(ordered) * part // number] for part in range(1, number)]
    lowest = _round(ordered[0])
    return [lowest, *sorted({rounded for cut in cuts if (rounded := _round(cut)) > lowest})]


def _round(value: float) -> float:
    """Return a value rounded down to two digits."""
    if value < 10:
        return math.floor(value)
    power = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / power) * power


def _labels(figures: Sequence[ChartFigure], classes: Sequence[tuple[float, str]]) -> dict[str, str]:
    """Return the name of the class of each place with a value above 0."""
    begins, names = [begin for begin, _ in classes], [name for _, name in classes]
    return {
        figure.key: names[bisect_right(begins, figure.value) - 1]
        for figure in figures
        if figure.key and figure.value > 0
    }


def _shades(number: int) -> list[str]:
    """Return a number of shades, as far apart as possible."""
    if number < 2:
        return [SHADES[-2]]
    return [SHADES[place * (len(SHADES) - 1) // (number - 1)] for place in range(number)]


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
