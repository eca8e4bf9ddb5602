"""Charts are sound SVG that brings nothing the content policy refuses, and say what they show."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from filing.charts import drawing, theme
from filing.charts.drawing import Axis, ColoredSeries

SVG = "{http://www.w3.org/2000/svg}"
SAYS = 'Files by hour: "most" at 9 & <few> later.'
X, Y = Axis("hour"), Axis("files", "files", "quantitative")


def rows(number: int) -> list[dict[str, object]]:
    return [
        {"hour": f"{hour:02d}:00", "files": hour % 7, "kind": ("good", "bad")[hour % 2]}
        for hour in range(number)
    ]


@pytest.mark.parametrize(
    ("draw", "width", "series"),
    [
        (drawing.draw_bars, drawing.WIDTH, ColoredSeries("kind", {"bad": theme.RED})),
        (drawing.draw_lines, drawing.NARROW, None),
    ],
)
def test_a_chart_is_one_picture_with_a_description(draw, width, series) -> None:
    svg = draw(rows(48), x=X, y=Y, series=series, description=SAYS, width=width)
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert (root.get("role"), root.get("aria-label")) == ("img", SAYS)
    assert width < float(root.get("width", 0)) < width + 100
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=|href=", svg)
    if series:
        assert theme.RED in svg
