"""Charts as SVG, from rows: drawn by Vega-Lite without a browser, in the colors of the site.

Source: Vega-Lite 5, https://vega.github.io/vega-lite/docs/.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from filing.charts import vega_lite
from filing.charts.axes import Axis, Rows, Series
from filing.charts.style import BLUE, CONFIG, HEIGHT, NARROW, WIDTH


def bars(
    rows: Rows,
    *,
    x: Axis,
    y: Axis,
    description: str,
    series: Series | None = None,
    width: int = WIDTH,
) -> str:
    """Return a bar for each row as SVG, stacked where several series share one x.

    description: the picture in words, for those who cannot see it.
    """
    return _chart({"type": "bar"}, rows, x, y, series, description, width)


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

    description: the picture in words, for those who cannot see it.
    """
    mark = {"type": "line", "strokeWidth": 2.5}
    return _chart(mark, rows, x, y, series, description, width)


def _chart(
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
    spec = specification(rows, width, 4 if width > NARROW else 2) | {
        "mark": mark,
        "encoding": encoding,
    }
    return vega_lite.svg(spec, description)


def specification(rows: Rows, width: int, columns: int) -> dict[str, Any]:
    """Return the parts of a specification that all charts share. columns: of the legend."""
    return {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{vega_lite.VERSION}.json",
        "width": width,
        "height": HEIGHT,
        "data": {"values": [dict(row) for row in rows]},
        "config": {**CONFIG, "legend": {**CONFIG["legend"], "columns": columns}},
    }


def picture(spec: Mapping[str, Any], description: str) -> str:
    """Return any picture that Vega-Lite can draw as SVG, in the colors and fonts of the site.

    spec: without its schema and settings. description: the picture in words.
    """
    complete = {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{vega_lite.VERSION}.json",
        "config": CONFIG,
        **spec,
    }
    return vega_lite.svg(complete, description)
