"""Bar charts of query results: a bar for each value, with its figure beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from filing.charts import drawing, theme

_BAR, _STEP = 18, 30  # pixels
_LETTER = 8  # pixels that a letter takes at most
_LABELS = 270


@dataclass(frozen=True)
class ChartFigure:
    """A value with its name and its text."""

    label: str
    value: float
    text: str


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
    texts: dict[str, Any] = {"type": "text", "align": "left", "fontSize": 13, "color": theme.INK}
    layer: list[dict[str, Any]] = [
        {"mark": {"type": "bar", "color": theme.BLUE, "height": _BAR, "yOffset": down}},
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
