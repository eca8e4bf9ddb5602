"""A chart in a page is a figure with the picture inside it, and says how its marks are read."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from filing.charts import drawing, theme
from filing.charts.drawing import Axis, ColoredSeries, TrendChart
from filing.charts.figures import MarkOrder, build_chart_figure

SVG = "{http://www.w3.org/2000/svg}"
BARS = drawing.draw_bars(
    [{"place": "Cook County, Illinois", "loans": 1204}],
    x=Axis("place"),
    y=Axis("loans", kind="quantitative"),
    description="Loans & places.",
)


def test_a_figure_has_the_picture_its_narrow_form_and_a_caption() -> None:
    figure = build_chart_figure(BARS, narrow=BARS, caption="<Made up>", form="part")
    root = ElementTree.fromstring(figure)
    values = root.find("chart-values")
    assert values is not None
    assert (root.tag, values.attrib) == ("figure", {"data-order": "series", "data-form": "part"})
    assert [part.get("class") for part in values] == ["site-chart__wide", "site-chart__narrow"]
    assert [part[0].get("role") for part in values] == ["img", "img"]
    assert root.findtext("figcaption") == "<Made up>"


def test_a_figure_without_more_has_one_picture_only() -> None:
    figure = build_chart_figure(BARS, order=MarkOrder.LIST)
    assert figure.count("<svg ") == 1
    assert 'data-order="list"' in figure
    assert "figcaption" not in figure


def test_two_pictures_in_a_page_share_no_id() -> None:
    assert not re.search(r"\sid=", build_chart_figure(BARS, narrow=BARS))


def look_of(names: list[str], name: str) -> tuple[str, str]:
    """Return the color and the shape of the mark of a name, in a chart of these names."""
    rows = [{"x": "2024-Q1", "y": 3, "of": each, "label": f"{each}, 2024-Q1: 3"} for each in names]
    series = ColoredSeries(
        "of",
        dict(zip("abc", theme.COLORS, strict=False)),
        dict(zip("abc", theme.SHAPES, strict=False)),
    )
    chart = TrendChart(
        rows, x=Axis("x"), y=Axis("y", kind="quantitative"), series=series, label="label",
        description="Counts.",
    )  # fmt: skip
    (mark,) = (
        mark
        for mark in ElementTree.fromstring(chart.svg()).iter()
        if (mark.get("aria-label") or "").startswith(f"{name}, ")
    )
    return mark.get("fill", ""), mark.get("d", "")


def test_a_series_keeps_its_color_and_shape_where_others_are_left_out() -> None:
    assert look_of(["b", "c"], "c") == look_of(["a", "b", "c"], "c")
    assert len({look_of(["a", "b", "c"], name) for name in "abc"}) == 3


def heights(value: float, *, from_zero: bool) -> tuple[float, dict[str, float]]:
    """Return how far down the only mark of a chart is, and each number on its axis."""
    rows = [{"x": "2024-Q1", "y": value, "of": "a", "label": f"a, 2024-Q1: {value}"}]
    axis = Axis("y", kind="quantitative", format=",~f", from_zero=from_zero)
    svg = TrendChart(
        rows, x=Axis("x"), y=axis, series=ColoredSeries("of"), label="label", description="One.",
    ).svg()  # fmt: skip
    (mark,) = re.findall(r'aria-label="a, 2024-Q1[^>]*translate\([^,]*,([^)]*)\)', svg)
    labels = re.findall(r'text-anchor="end" transform="translate\(-7,([^)]*)\)[^>]*>([^<]*)<', svg)
    return float(mark), {text: float(height) - 4 for height, text in labels}


def test_a_single_value_is_drawn_at_its_place_on_the_axis() -> None:
    mark, labels = heights(718.5, from_zero=False)
    assert len(labels) > 2
    assert labels["719"] < mark < labels["718"]
    mark, labels = heights(0, from_zero=True)
    assert mark == pytest.approx(labels["0"], abs=1)
    assert min(labels.values()) < mark


def test_a_trend_chart_has_the_size_that_is_asked_for() -> None:
    rows = [{"x": "2024-Q1", "y": 3_000_000, "of": "a", "label": "a, 2024-Q1: 3,000,000"}]
    chart = TrendChart(
        rows, x=Axis("x"), y=Axis("y", "Loans", "quantitative"), series=ColoredSeries("of"),
        label="label", description="Counts.",
    )  # fmt: skip
    saved = replace(chart, title="How has the number of originated loans changed lately?")
    title = ElementTree.fromstring(saved.svg(drawing.TREND_NARROW)).iter(f"{SVG}tspan")
    assert max(len(line.text or "") for line in title) * 8 < drawing.TREND_NARROW[0]
    for width, height in (drawing.TREND_WIDE, drawing.TREND_NARROW):
        root = ElementTree.fromstring(chart.svg((width, height)))
        assert (root.get("width"), root.get("height")) == (str(width), str(height))


def test_a_wide_chart_names_its_lines_where_they_end_and_a_narrow_one_above() -> None:
    values = {"near": 10, "nearer": 10.1, "far": 90}
    rows = [
        {"x": quarter, "y": value, "of": name, "label": f"{name}, {quarter}: {value}"}
        for name, value in values.items()
        for quarter in ("2024-Q1", "2024-Q2")
    ]
    chart = TrendChart(
        rows, x=Axis("x"), y=Axis("y", kind="quantitative"), series=ColoredSeries("of"),
        label="label", description="Three.",
    )  # fmt: skip
    named = r"<text[^>]*translate\(([\d.]+),([\d.]+)\)[^>]*>(near|nearer|far)</text>"
    places = {name: (float(x), float(y)) for x, y, name in re.findall(named, chart.svg())}
    assert set(places) == set(values)
    assert len({x for x, _ in places.values()}) == 1
    heights = [places[name][1] for name in ("far", "nearer", "near")]
    assert all(below - above >= 12 for above, below in pairwise(heights))
    assert "role-legend" not in chart.svg()
    narrow = chart.svg(drawing.TREND_NARROW)
    assert "role-legend" in narrow
    assert "mark-text role-mark" not in narrow
