"""The axes of a chart, and the series that have colors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from filing.charts.style import COLORS

Rows = Sequence[Mapping[str, Any]]
Scale = Literal["ordinal", "temporal", "quantitative"]
LABEL_PIXELS = 62  # the most that the label of a value takes


@dataclass(frozen=True)
class Axis:
    """An axis: the column of the rows, its title, and the kind of its values.

    kind: ordinal values come in the order of the rows. format: of temporal and quantitative values,
    in d3's notation. from_zero: whether a quantitative axis begins at zero.
    """

    column: str
    title: str = ""
    kind: Scale = "ordinal"
    format: str = ""
    from_zero: bool = True

    def encoding(self, rows: Rows, width: int) -> dict[str, Any]:
        """Return the encoding of Vega-Lite; where room is short, only some values have labels."""
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
        encoding = {"field": self.column, "type": self.kind, "axis": axis, "sort": None}
        return encoding if self.from_zero else encoding | {"scale": {"zero": False}}


@dataclass(frozen=True)
class Series:
    """The column whose values have colors of their own, and the color of each value."""

    column: str
    colors: Mapping[str, str] = field(default_factory=dict)

    def encoding(self, rows: Rows) -> dict[str, Any]:
        """Return the encoding of Vega-Lite; values without a color get the site's next one."""
        values = list(dict.fromkeys(str(row[self.column]) for row in rows))
        colors = [self.colors.get(v, COLORS[n % len(COLORS)]) for n, v in enumerate(values)]
        scale = {"domain": values, "range": colors}
        return {"field": self.column, "type": "nominal", "scale": scale}
