"""What runs along the axes of a chart, and what has a color of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from filing.charts.style import COLOURS

Rows = Sequence[Mapping[str, Any]]
Scale = Literal["ordinal", "temporal", "quantitative"]
LABEL_PIXELS = 62  # that a value on the axis takes at most


@dataclass(frozen=True)
class Axis:
    """What runs along an axis: the column of the rows, its title, and what its values are.

    kind: ordinal values stand in the order of the rows. format: how a temporal or quantitative
    value is written, as d3 says it. from_zero: whether a quantitative axis begins there.
    """

    column: str
    title: str = ""
    kind: Scale = "ordinal"
    format: str = ""
    from_zero: bool = True

    def encoding(self, rows: Rows, width: int) -> dict[str, Any]:
        """Return it as Vega-Lite wants it. Where there is no room only some values are written."""
        axis: dict[str, Any] = {"title": self.title or None}
        if self.format:
            axis["format"] = self.format
        if self.kind == "ordinal":
            values = list(dict.fromkeys(row[self.column] for row in rows))
            step = math.ceil(len(values) * LABEL_PIXELS / width)
            axis |= {"labelAngle": 0, "grid": False, "values": values[:: max(1, step)]}
        else:
            axis |= {"tickCount": width // 45}
        if self.kind == "quantitative" and self.from_zero:
            axis["tickMinStep"] = 1
        found = {"field": self.column, "type": self.kind, "axis": axis, "sort": None}
        return found if self.from_zero else found | {"scale": {"zero": False}}


@dataclass(frozen=True)
class Series:
    """The column that tells apart what has a color of its own, and the color of each value."""

    column: str
    colours: Mapping[str, str] = field(default_factory=dict)

    def encoding(self, rows: Rows) -> dict[str, Any]:
        """Return it as Vega-Lite wants it: values without a color get the next one of the site."""
        values = list(dict.fromkeys(str(row[self.column]) for row in rows))
        colours = [self.colours.get(v, COLOURS[n % len(COLOURS)]) for n, v in enumerate(values)]
        scale = {"domain": values, "range": colours}
        return {"field": self.column, "type": "nominal", "scale": scale}
