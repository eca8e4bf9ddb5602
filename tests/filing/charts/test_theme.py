"""Charts in the colors of the site, on dark pages too."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest
from django.conf import settings

from filing.charts import drawing, theme
from filing.charts.drawing import Axis, ColoredSeries

LINEAR = tuple[float, float, float]
# What people see who see no red, no green or no blue: Machado, Oliveira and Fernandes, 2009.
EYES = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "no green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "no blue": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
OKABE_ITO = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
LIGHT = (theme.COLORS, theme.PAPER)
DARK = (tuple(theme.DARK[color] for color in theme.COLORS), theme.DARK[theme.PAPER])


def test_pages_have_the_styles_of_the_theme() -> None:
    styles = settings.BASE_DIR / "config" / "static" / "charts.css"
    assert styles.read_text().endswith(theme.style_dark_charts())


def linearize(color: str) -> LINEAR:
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))

    def straighten(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    return straighten(red), straighten(green), straighten(blue)


def find_contrast(first: str, second: str) -> float:
    lights = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue
        for red, green, blue in map(linearize, (first, second))
    )
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def place_in_lab(color: str, eyes: str) -> LINEAR:
    light = linearize(color)
    red, green, blue = (
        min(max(sum(a * b for a, b in zip(row, light, strict=True)), 0), 1) for row in EYES[eyes]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def find_least_distance(colors: tuple[str, ...], eyes: str) -> float:
    places = [place_in_lab(color, eyes) for color in colors]
    return min(
        sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5
        for one, other in itertools.combinations(places, 2)
    )


@pytest.mark.parametrize(("colors", "paper"), [LIGHT, DARK], ids=["light", "dark"])
def test_series_stand_out_and_differ_for_all_eyes(colors, paper) -> None:
    assert min(find_contrast(color, paper) for color in colors) >= 3
    known = min(find_least_distance(OKABE_ITO, eyes) for eyes in EYES)
    for eyes in EYES:
        assert find_least_distance(colors, eyes) > known - 0.5, eyes


def test_every_color_of_a_chart_has_its_color_in_the_dark() -> None:
    rows = [{"x": str(at), "y": at, "of": f"line {at % 6}"} for at in range(12)]
    svg = drawing.draw_lines(
        rows,
        x=Axis("x"),
        y=Axis("y", kind="quantitative"),
        series=ColoredSeries("of"),
        description="",
    )
    used = {
        value
        for each in ElementTree.fromstring(svg).iter()
        for name in ("fill", "stroke")
        if (value := each.get(name, "")).startswith("#")
    }
    assert used > set(theme.COLORS)
    assert used <= set(theme.DARK)
    assert "stroke-dasharray" in svg
