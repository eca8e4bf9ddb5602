"""Lines with a mark at each value, as SVG or PNG: what graphs over time are drawn as."""

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
    """Lines with a mark at each value, told apart by color and shape; without a value is a gap.

    said: the column that says of each value, in words, what it is. Where a title is given the
    picture can stand alone.
    """

    rows: Rows
    x: Axis
    y: Axis
    series: Series
    said: str
    description: str
    title: str = ""
    subtitle: str = ""

    def svg(self, width: int = WIDTH) -> str:
        """Return it as SVG."""
        return vega_lite.svg(self._spec(width), self.description)

    def png(self, width: int = WIDTH) -> bytes:
        """Return it as PNG, of twice as many pixels."""
        return vega_lite.png(self._spec(width))

    def _spec(self, width: int) -> dict[str, Any]:
        colour = self.series.encoding(self.rows)
        names = colour["scale"]["domain"]
        columns = max(1, width // (7 * max(map(len, names), default=1) + 40))
        spec = specification(self.rows, width, columns)
        shape = colour | {"scale": {"domain": names, "range": _SHAPES[: len(names)]}}
        marks = {"type": "point", "filled": True, "size": 45, "opacity": 1}
        spec |= {
            "encoding": {
                "x": self.x.encoding(self.rows, width),
                "y": self.y.encoding(self.rows, HEIGHT),
                "color": colour,
            },
            "layer": [
                {"mark": {"type": "line", "strokeWidth": 2, "aria": False}},
                {
                    "mark": marks,
                    "encoding": {
                        "shape": shape,
                        "description": {"field": self.said, "type": "nominal"},
                    },
                },
            ],
        }
        spec["config"]["legend"] |= {"symbolType": "circle", "labelLimit": 240}
        if self.title:
            longest = width // 7  # characters a line
            spec["title"] = {
                "text": textwrap.wrap(self.title, longest),
                "subtitle": textwrap.wrap(self.subtitle, longest),
                "anchor": "start",
                "fontSize": 15,
                "subtitleFontSize": 12,
                "offset": 12,
            }
            spec["padding"] = 16
        return spec
