"""Graphs over time: lines with a mark at each value, as SVG or PNG."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from filing.charts import vega_lite
from filing.charts.axes import Axis, Rows, Series
from filing.charts.drawing import specification
from filing.charts.style import HEIGHT, WIDTH

_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")


@dataclass(frozen=True)
class Trends:
    """Lines with a mark at each value, in different colors and shapes; a missing value is a gap.

    label: the column that describes each value in words. With a title, the picture can be used on
    its own.
    """

    rows: Rows
    x: Axis
    y: Axis
    series: Series
    label: str
    description: str
    title: str = ""
    subtitle: str = ""

    def svg(self, width: int = WIDTH) -> str:
        """Return the graph as SVG."""
        return vega_lite.svg(self._spec(width), self.description)

    def png(self, width: int = WIDTH) -> bytes:
        """Return the graph as PNG, with twice as many pixels."""
        return vega_lite.png(self._spec(width))

    def _spec(self, width: int) -> dict[str, Any]:
        color = self.series.encoding(self.rows)
        names = color["scale"]["domain"]
        columns = max(1, width // (7 * max(map(len, names), default=1) + 40))
        spec = specification(self.rows, width, columns)
        shape = color | {"scale": {"domain": names, "range": _SHAPES[: len(names)]}}
        marks = {"type": "point", "filled": True, "size": 45, "opacity": 1}
        spec |= {
            "encoding": {
                "x": self.x.encoding(self.rows, width),
                "y": self.y.encoding(self.rows, HEIGHT),
                "color": color,
            },
            "layer": [
                {"mark": {"type": "line", "strokeWidth": 2, "aria": False}},
                {
                    "mark": marks,
                    "encoding": {
                        "shape": shape,
                        "description": {"field": self.label, "type": "nominal"},
                    },
                },
            ],
        }
        spec["config"]["legend"] |= {"symbolType": "circle", "labelLimit": 240}
        if self.title:
            line_length = width // 7  # characters
            spec["title"] = {
                "text": textwrap.wrap(self.title, line_length),
                "subtitle": textwrap.wrap(self.subtitle, line_length),
                "anchor": "start",
                "fontSize": 15,
                "subtitleFontSize": 12,
                "offset": 12,
            }
            spec["padding"] = 16
        return spec
