"""What rows say as pictures: a bar for each value, and a map in shades of blue.

Figures stand beside the bars and in the table below a map: no picture is needed to read them.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from databrowser.charts.atlas import Shapes
from filing.charts import drawing, style

SHADES = ("#d9e8f6", "#a9cbe8", "#73a9d6", "#3d82bd", "#005ea2", "#162e51")
NOTHING, OUTLINE = "#f0f0f0", "#ffffff"
_BAR, _STEP = 18, 30  # pixels
_LETTER = 8  # pixels that a letter takes at most
_LABELS = 270


@dataclass(frozen=True)
class Figure:
    """A value with its name, and how it is written. key: of its shape on a map."""

    label: str
    value: float
    written: str
    key: str = ""


def bars(figures: Sequence[Figure], *, description: str, width: int = style.WIDTH) -> str:
    """Return a bar for each figure as SVG, one below the other, with its name and value.

    Where it is narrow the name stands above its bar.
    """
    is_narrow = width <= style.NARROW
    step = 2 * _STEP - 6 if is_narrow else _STEP
    most = max((each.value for each in figures), default=0) or 1
    longest = max((len(each.written) for each in figures), default=0) * _LETTER + 8
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
    texts: dict[str, Any] = {"type": "text", "align": "left", "fontSize": 13, "color": style.INK}
    layer: list[dict[str, Any]] = [
        {"mark": {"type": "bar", "color": style.BLUE, "height": _BAR, "yOffset": down}},
        {
            "mark": {**texts, "dx": 6, "yOffset": down, "baseline": "middle"},
            "encoding": {"text": {"field": "written"}},
        },
    ]
    if is_narrow:
        names = {**texts, "x": 0, "yOffset": down - _BAR, "baseline": "middle"}
        layer.append({"mark": names, "encoding": {"text": {"field": "label"}, "x": {"value": 0}}})
    rows = [{"label": each.label, "value": each.value, "written": each.written} for each in figures]
    spec = {
        "width": plot,
        "height": {"step": step},
        "data": {"values": rows},
        "encoding": {"x": x, "y": y},
        "layer": layer,
    }
    return drawing.drawn(spec, description)


def shaded(
    shapes: Shapes,
    figures: Sequence[Figure],
    *,
    classes: Sequence[tuple[float, str]],
    nothing: str,
    description: str,
    width: int = style.WIDTH,
) -> str:
    """Return a map as SVG, each place in the shade of its class.

    classes: from which value each begins, ascending, and how it is written. nothing: how a place
    without a value is called.
    """
    tallest = 1.2 if width <= style.NARROW else 0.75
    height = round(width * min(max(shapes.height, 0.4), tallest))
    label = _labels(figures, classes)
    known = [name for _, name in classes]
    colours = _shades(len(known))
    if without := shapes.codes - label.keys():
        label |= dict.fromkeys(without, nothing)
        known, colours = [nothing, *known], [NOTHING, *colours]
    longest = max(map(len, known)) * _LETTER + 30
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
                "scale": {"domain": known, "range": colours},
                "legend": {
                    "orient": "bottom",
                    "title": None,
                    "columns": max(1, min(len(known), width // longest)),
                    "symbolStrokeColor": style.GREY,
                    "symbolStrokeWidth": 0.5,
                    "symbolSize": 160,
                    "labelLimit": width,
                },
            }
        },
    }
    return drawing.drawn(spec, description)


def classes(values: Sequence[float]) -> list[float]:
    """Return from which value each shade begins: as many places in each, at round numbers.

    Values of 0 or less have no class. Without others there are no classes.
    """
    ordered = sorted(each for each in values if each > 0)
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


def _labels(figures: Sequence[Figure], classes: Sequence[tuple[float, str]]) -> dict[str, str]:
    """Return the name of the class of each place with a value above 0."""
    begins, names = [begin for begin, _ in classes], [name for _, name in classes]
    return {
        each.key: names[bisect_right(begins, each.value) - 1]
        for each in figures
        if each.key and each.value > 0
    }


def _shades(number: int) -> list[str]:
    """Return so many shades, as far apart as they can be."""
    if number < 2:
        return [SHADES[-2]]
    return [SHADES[place * (len(SHADES) - 1) // (number - 1)] for place in range(number)]


def _projection(shapes: Shapes) -> dict[str, Any]:
    """Return how degrees become a plane: for a state an equal-area one around its middle."""
    if shapes.is_laid_out:
        return {"type": "identity"}
    high = (shapes.north - shapes.south) / 6
    return {
        "type": "conicEqualArea",
        "rotate": [-(shapes.west + shapes.east) / 2, 0, 0],
        "parallels": [shapes.south + high, shapes.north - high],
    }
