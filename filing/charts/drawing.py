"""Charts as SVG or PNG, drawn by Vega-Lite without a browser, in the colors of the site.

Source: Vega-Lite 5, https://vega.github.io/vega-lite/docs/.
"""

from __future__ import annotations

import hashlib
import json
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from xml.sax.saxutils import quoteattr

from django.core.cache import cache

from filing.charts import theme

WIDTH, NARROW, HEIGHT = 640, 270, 220  # of the plot, in pixels; narrow is for telephones
TREND_WIDE, TREND_NARROW = (960, 380), (320, 360)  # of a whole trend chart: width and height


Rows = Sequence[Mapping[str, Any]]
Scale = Literal["ordinal", "temporal", "quantitative"]
LABEL_PIXELS = 62  # the most that the label of a value takes
VEGA_LITE_VERSION = "5.21"  # of Vega-Lite: another one draws another picture
_SCHEMA = f"https://vega.github.io/schema/vega-lite/v{VEGA_LITE_VERSION}.json"
CACHE_SECONDS = 24 * 3600
_AROUND_PLOT = 60  # pixels of an axis and its title, beside the plot
_LEGEND_LETTER, _LEGEND_SYMBOL = 7, 44  # pixels of a letter, of a symbol with the room around it
_SIDES = ("left", "top", "right", "bottom")
_LABEL_GAP = 15  # pixels between the names of lines
_TITLE_LETTER, _PADDING = 9, 16  # pixels of a letter of the title, of the room around a saved chart


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
        if self.kind != "quantitative":
            return encoding
        scale: dict[str, Any] = {"zero": self.from_zero}
        numbers = {row[self.column] for row in rows} - {None}
        if len(numbers) == 1 and (not self.from_zero or numbers == {0}):
            # All places of an axis without extent are one: any tick would be at the value.
            (value,) = numbers
            scale["domain"] = [value if self.from_zero else value - 1, value + 1]
        return encoding | {"scale": scale}


@dataclass(frozen=True)
class ColoredSeries:
    """The column whose values have colors and shapes of their own, and those of each value.

    They stay the same where some of the values are left out.
    """

    column: str
    colors: Mapping[str, str] = field(default_factory=dict)
    shapes: Mapping[str, str] = field(default_factory=dict)

    def encoding(self, rows: Rows) -> dict[str, Any]:
        """Return the encoding of Vega-Lite; values without a color get the site's next one."""
        return self._scale(rows, self.colors, theme.COLORS)

    def shape_encoding(self, rows: Rows) -> dict[str, Any]:
        """Return the same of the shapes of marks."""
        return self._scale(rows, self.shapes, theme.SHAPES)

    def dash_encoding(self, rows: Rows) -> dict[str, Any]:
        """Return the same of the dashes of lines, which tell them apart without any color."""
        return self._scale(rows, {}, theme.DASHES)

    def _scale(self, rows: Rows, chosen: Mapping[str, str], others: Sequence[Any]) -> Any:
        values = list(dict.fromkeys(str(row[self.column]) for row in rows))
        looks = [
            chosen.get(value, others[number % len(others)]) for number, value in enumerate(values)
        ]
        scale = {"domain": values, "range": looks}
        return {"field": self.column, "type": "nominal", "scale": scale}


def render_svg(spec: Mapping[str, Any], description: str) -> str:
    """Return a specification as SVG, from the cache where any process has drawn it before.

    description: the picture in words, for those who cannot see it.

    The first drawing of a process starts a JavaScript engine: about 0.7 s and 65 MB, later ones
    take 20 to 50 ms. So it is loaded where something is drawn, and not with the module.
    """
    text = json.dumps(spec, sort_keys=True)
    key = f"chart:{VEGA_LITE_VERSION}:{hashlib.sha256(text.encode()).hexdigest()}"
    drawing: str | None = cache.get(key)
    if drawing is None:
        import vl_convert

        drawing = vl_convert.vegalite_to_svg(
            text, vl_version=VEGA_LITE_VERSION, allowed_base_urls=[]
        )
        cache.set(key, drawing, CACHE_SECONDS)
    # One image with a description, also for use inside a page.
    label = f'<svg role="img" aria-label={quoteattr(description)} '
    return drawing.replace("<svg ", label, 1)


def render_png(spec: Mapping[str, Any]) -> bytes:
    """Return a specification as PNG, which is needed too rarely to cache."""
    import vl_convert

    return bytes(
        vl_convert.vegalite_to_png(
            json.dumps(spec, sort_keys=True),
            vl_version=VEGA_LITE_VERSION,
            scale=2,
            allowed_base_urls=[],
        )
    )


def draw_bars(
    rows: Rows,
    *,
    x: Axis,
    y: Axis,
    description: str,
    series: ColoredSeries | None = None,
    width: int = WIDTH,
) -> str:
    """Return a bar for each row as SVG, stacked where several series share one x.

    description: the picture in words, for those who cannot see it.
    """
    return _chart({"type": "bar"}, rows, x, y, series, description, width)


def draw_lines(
    rows: Rows,
    *,
    x: Axis,
    y: Axis,
    description: str,
    series: ColoredSeries | None = None,
    width: int = WIDTH,
) -> str:
    """Return a line through the rows as SVG, one for each of the series.

    description: the picture in words, for those who cannot see it.
    """
    mark = {"type": "line", "strokeWidth": 2.5}
    return _chart(mark, rows, x, y, series, description, width)


def _chart(
    mark: dict[str, Any],
    rows: Rows,
    x: Axis,
    y: Axis,
    series: ColoredSeries | None,
    description: str,
    width: int,
) -> str:
    encoding = {"x": x.encoding(rows, width), "y": y.encoding(rows, HEIGHT)}
    if series:
        encoding["color"] = series.encoding(rows)
        if mark["type"] == "line":
            encoding["strokeDash"] = series.dash_encoding(rows)
    else:
        mark = {**mark, "color": theme.BLUE}
    spec = build_specification(rows, width, 4 if width > NARROW else 2) | {
        "mark": mark,
        "encoding": encoding,
    }
    return render_svg(spec, description)


def build_specification(rows: Rows, width: int, columns: int) -> dict[str, Any]:
    """Return the parts of a specification that all charts share. columns: of the legend."""
    return {
        "$schema": _SCHEMA,
        "width": width,
        "height": HEIGHT,
        "data": {"values": [dict(row) for row in rows]},
        "config": {**theme.CONFIG, "legend": {**theme.CONFIG["legend"], "columns": columns}},
    }


def draw_picture(spec: Mapping[str, Any], description: str) -> str:
    """Return any picture that Vega-Lite can draw as SVG, in the colors and fonts of the site.

    spec: without its schema and settings. description: the picture in words.
    """
    return render_svg({"$schema": _SCHEMA, "config": theme.CONFIG, **spec}, description)


def draw_png(spec: Mapping[str, Any]) -> bytes:
    """Return the same picture as PNG."""
    return render_png({"$schema": _SCHEMA, "config": theme.CONFIG, **spec})


def _label_ends(ends: Rows, column: str, shape: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the layers with the name of each line and its mark, beside where it ends."""
    data = {"values": [dict(row) for row in ends]}
    mark = {"type": "point", "filled": True, "size": 60, "opacity": 1, "xOffset": 16}
    text = {"type": "text", "align": "left", "baseline": "middle", "dx": 26}
    name = {"field": column, "type": "nominal"}
    ink = {"value": theme.INK}
    return [
        {"data": data, "mark": mark | {"aria": False}, "encoding": {"shape": shape}},
        {"data": data, "mark": text | {"aria": False}, "encoding": {"text": name, "color": ink}},
    ]


@dataclass(frozen=True)
class TrendChart:
    """Lines with a mark at each value, in different colors and shapes; a missing value is a gap.

    label: the column that describes each value in words. With a title, the picture can be used on
    its own.
    """

    rows: Rows
    x: Axis
    y: Axis
    series: ColoredSeries
    label: str
    description: str
    title: str = ""
    subtitle: str = ""

    def svg(self, size: tuple[int, int] = TREND_WIDE) -> str:
        """Return the graph as SVG. size: of the picture without its title, in pixels."""
        return render_svg(self._spec(*size), self.description)

    def png(self, size: tuple[int, int] = TREND_WIDE) -> bytes:
        """Return the graph as PNG, with twice as many pixels."""
        return render_png(self._spec(*size))

    def _spec(self, width: int, height: int) -> dict[str, Any]:
        color, shape = self.series.encoding(self.rows), self.series.shape_encoding(self.rows)
        ends = self._ends(width, height)
        plot = width - _AROUND_PLOT - (self._label_width if ends else 0)
        if ends:
            color, shape = color | {"legend": None}, shape | {"legend": None}
        spec = build_specification(self.rows, width, self._legend_columns(width))
        marks = {"type": "point", "filled": True, "size": 60, "opacity": 1}
        spec |= {
            # The size is that of the whole, whatever the numbers on its axis are.
            "autosize": {"type": "fit", "contains": "padding"},
            "height": height,
            "encoding": {
                "x": self.x.encoding(self.rows, plot),
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
        if ends:
            spec["layer"] += _label_ends(ends, self.series.column, shape)
        spec["config"]["legend"] |= {"symbolType": "circle", "labelLimit": 240, "columnPadding": 24}
        if self.title:
            room = width - 2 * _PADDING
            title = textwrap.wrap(self.title, room // _TITLE_LETTER)
            subtitle = textwrap.wrap(self.subtitle, room // _LEGEND_LETTER)
            spec["title"] = {
                "text": title,
                "subtitle": subtitle,
            }
            spec["padding"] = dict.fromkeys(_SIDES, _PADDING)
            spec["height"] += 2 * _PADDING + 12 + 18 * len(title) + 15 * len(subtitle)
        if ends:  # readers whose system has a wider font see the names whole, too
            spec["padding"] = spec.get("padding", dict.fromkeys(_SIDES, 5)) | {"right": 40}
        return spec

    @property
    def _label_width(self) -> int:
        """Return the pixels of the longest name, with the room before and after it."""
        names = {str(row[self.series.column]) for row in self.rows}
        return _LEGEND_LETTER * max(map(len, names), default=0) + _LEGEND_SYMBOL

    def _ends(self, width: int, height: int) -> list[dict[str, Any]]:
        """Return the name of each line beside its end, with room between them.

        Nothing where a legend above says more: on a narrow chart, or with long names.
        """
        lasts = {
            str(row[self.series.column]): row[self.y.column]
            for row in self.rows
            if row[self.y.column] is not None
        }
        if len(lasts) < 2 or width < WIDTH - 60 or self._label_width > width / 3:
            return []
        values = [row[self.y.column] for row in self.rows if row[self.y.column] is not None]
        low, high = min(0, *values) if self.y.from_zero else min(values), max(values)
        gap = (high - low or 1) * _LABEL_GAP / (height - _AROUND_PLOT)
        places: dict[str, float] = {}
        for name in sorted(lasts, key=lasts.__getitem__):
            below = max(places.values(), default=-math.inf)
            places[name] = max(lasts[name], below + gap)
        # What was pushed above the highest value comes down again.
        ceiling = high + gap
        for name in reversed(places):
            ceiling = min(ceiling - gap, places[name])
            places[name] = ceiling
        edge = self.rows[-1][self.x.column]
        return [
            {self.series.column: name, self.x.column: edge, self.y.column: place}
            for name, place in places.items()
        ]

    def _legend_columns(self, width: int) -> int:
        """Return the columns of the legend: all names in one row where there is room."""
        names = [len(str(name)) for name in {row[self.series.column] for row in self.rows}]
        room = width - _AROUND_PLOT
        if sum(_LEGEND_LETTER * name + _LEGEND_SYMBOL for name in names) <= room:
            return 0  # one row
        return max(1, room // (_LEGEND_LETTER * max(names) + _LEGEND_SYMBOL))
