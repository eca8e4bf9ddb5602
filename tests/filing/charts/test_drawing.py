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


@pytest.mark.parametrize("draw", [drawing.draw_bars, drawing.draw_lines])
@pytest.mark.parametrize("width", [drawing.WIDTH, drawing.NARROW])
@pytest.mark.parametrize("series", [None, ColoredSeries("kind", {"bad": theme.RED})])
def test_a_chart_is_one_picture_with_a_description(draw, width, series) -> None:
    svg = draw(rows(48), x=X, y=Y, series=series, description=SAYS, width=width)
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert (root.get("role"), root.get("aria-label")) == ("img", SAYS)
    assert width < float(root.get("width", 0)) < width + 100
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=|href=", svg)
    if series:
        assert theme.RED in svg


def test_bars_say_their_values_one_by_one() -> None:
    drawn = ElementTree.fromstring(drawing.draw_bars(rows(8), x=X, y=Y, description=SAYS))
    marks = [each for each in drawn.iter() if each.get("aria-roledescription") == "bar"]
    assert [mark.get("aria-label") for mark in marks] == [
        f"hour: {hour:02d}:00; files: {hour % 7}" for hour in range(8)
    ]


def test_values_on_an_axis_leave_each_other_room() -> None:
    svg = drawing.draw_bars(rows(24), x=X, y=Y, description=SAYS, width=drawing.NARROW)
    written = re.findall(r">(\d\d:00)</text>", svg)
    assert 3 <= len(written) <= drawing.NARROW / drawing.LABEL_PIXELS


def test_nothing_at_all_can_be_drawn() -> None:
    for draw in (drawing.draw_bars, drawing.draw_lines):
        assert draw([], x=X, y=Y, series=ColoredSeries("kind"), description=SAYS).startswith("<svg")


def test_the_same_rows_are_drawn_once(settings, tmp_path) -> None:
    backend = "django.core.cache.backends.filebased.FileBasedCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": str(tmp_path / "cache")}}
    first = drawing.draw_bars(rows(3), x=X, y=Y, description=SAYS)
    kept = list((tmp_path / "cache").iterdir())
    assert len(kept) == 1
    assert (
        drawing.draw_bars(rows(3), x=X, y=Y, description="Other words.").split(">", 1)[1]
        == (first.split(">", 1)[1])
    )
    assert list((tmp_path / "cache").iterdir()) == kept
    drawing.draw_bars(rows(4), x=X, y=Y, description=SAYS)
    assert len(list((tmp_path / "cache").iterdir())) == 2
