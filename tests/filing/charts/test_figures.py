"""A chart in a page is a figure with the picture inside it, and says how its marks are read."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from filing.charts import drawing
from filing.charts.drawing import Axis, ColoredSeries, TrendChart
from filing.charts.figures import build_chart_figure

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
