"""Charts as SVG, from rows: drawn by Vega-Lite without a browser, in the colours of the site.

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

Rows = Sequence[Mapping[str, Any]]
Scale = Literal["ordinal", "temporal", "quantitative"]

VERSION = "5.21"  # of Vega-Lite: another one draws another picture
KEPT_SECONDS = 24 * 3600
BLUE, GOLD, RED, TEAL, VIOLET, GREY, NAVY = (
    *("#005ea2", "#e5a000", "#b50909", "#00a398"),
    *("#783cb9", "#71767a", "#162e51"),
)
COLOURS = (BLUE, GOLD, TEAL, RED, VIOLET, GREY, NAVY)
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
INK, LINE = "#1b1b1b", "#dfe1e2"
FONT = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
CONFIG: dict[str, Any] = {
    "background": "#ffffff",
    "font": FONT,
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": LINE,
        "domainColor": GREY,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "tickColor": GREY,
        "labelOverlap": "greedy",
    },
    "legend": {
        "orient": "top",
        "title": None,
        "columns": 4,
        "labelFontSize": 12,
        "labelColor": INK,
        "symbolType": "square",
    },
    "view": {"stroke": None},
}


WIDTH, NARROW, HEIGHT = 640, 270, 220  # of the plot, in pixels; narrow is for telephones
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
    """The column that tells apart what has a colour of its own, and the colour of each value."""

    column: str
    colours: Mapping[str, str] = field(default_factory=dict)

    def encoding(self, rows: Rows) -> dict[str, Any]:
        """Return it as Vega-Lite wants it: values without a colour get the next one of the site."""
        values = list(dict.fromkeys(str(row[self.column]) for row in rows))
        colours = [self.colours.get(v, COLOURS[n % len(COLOURS)]) for n, v in enumerate(values)]
        scale = {"domain": values, "range": colours}
        return {"field": self.column, "type": "nominal", "scale": scale}


def bars(
    rows: Rows,
    *,
    x: Axis,
    y: Axis,
    description: str,
    series: Series | None = None,
    width: int = WIDTH,
) -> str:
    """Return a bar for each row as SVG, those of one x upon each other where there are series.

    description: what the picture says, for those who do not see it.
    """
    return _drawn({"type": "bar"}, rows, x, y, series, description, width)


def lines(
    rows: Rows,
    *,
    x: Axis,
    y: Axis,
    description: str,
    series: Series | None = None,
    width: int = WIDTH,
) -> str:
    """Return a line through the rows as SVG, one for each of the series.

    description: what the picture says, for those who do not see it.
    """
    mark = {"type": "line", "strokeWidth": 2.5}
    return _drawn(mark, rows, x, y, series, description, width)


@dataclass(frozen=True)
class Trends:
    """Lines with a mark at each value, told apart by colour and shape; without a value is a gap.

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
        return _named(_converted(self._spec(width)), self.description)

    def png(self, width: int = WIDTH) -> bytes:
        """Return it as PNG, of twice as many pixels."""
        return _converted_to_png(self._spec(width))

    def _spec(self, width: int) -> str:
        colour = self.series.encoding(self.rows)
        names = colour["scale"]["domain"]
        columns = max(1, width // (7 * max(map(len, names), default=1) + 40))
        spec = _spec(self.rows, width, columns)
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
        return json.dumps(spec, sort_keys=True)


def _drawn(
    mark: dict[str, Any],
    rows: Rows,
    x: Axis,
    y: Axis,
    series: Series | None,
    description: str,
    width: int,
) -> str:
    encoding = {"x": x.encoding(rows, width), "y": y.encoding(rows, HEIGHT)}
    if series:
        encoding["color"] = series.encoding(rows)
    else:
        mark = {**mark, "color": BLUE}
    spec = _spec(rows, width, 4 if width > NARROW else 2) | {"mark": mark, "encoding": encoding}
    return _named(_converted(json.dumps(spec, sort_keys=True)), description)


def _spec(rows: Rows, width: int, columns: int) -> dict[str, Any]:
    """Return what all charts have. columns: of the legend."""
    return {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{VERSION}.json",
        "width": width,
        "height": HEIGHT,
        "data": {"values": [dict(row) for row in rows]},
        "config": {**CONFIG, "legend": {**CONFIG["legend"], "columns": columns}},
    }


def _converted(spec: str) -> str:
    """Return the SVG of a description, from the cache where any process has drawn it before.

    The first drawing of a process starts a JavaScript engine: about 0.7 s and 65 MB, later ones
    take 20 to 50 ms. So it is loaded where something is drawn, and not with the module.
    """
    key = f"chart:{VERSION}:{hashlib.sha256(spec.encode()).hexdigest()}"
    kept: str | None = cache.get(key)
    if kept is None:
        import vl_convert

        kept = vl_convert.vegalite_to_svg(spec, vl_version=VERSION, allowed_base_urls=[])
        cache.set(key, kept, KEPT_SECONDS)
    return kept


def _converted_to_png(spec: str) -> bytes:
    """Return the PNG of a description; it is asked for so rarely that none is kept."""
    import vl_convert

    return bytes(
        vl_convert.vegalite_to_png(spec, vl_version=VERSION, scale=2, allowed_base_urls=[])
    )


def _named(svg: str, description: str) -> str:
    """Return the SVG as one picture with a description, also where it stands within a page."""
    return svg.replace("<svg ", f'<svg role="img" aria-label={quoteattr(description)} ', 1)


def drawn(spec: Mapping[str, Any], description: str) -> str:
    """Return any picture that Vega-Lite can draw as SVG, in the colours and letters of the site.

    spec: all but its schema and settings. description: what it says, for those who do not see it.
    """
    whole = {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{VERSION}.json",
        "config": CONFIG,
        **spec,
    }
    return _named(_converted(json.dumps(whole, sort_keys=True)), description)
