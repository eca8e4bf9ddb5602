"""The look of every chart and map: one font, one set of colors, and each color on a dark page.

The colors of series stand out from the page (3:1), and from each other also for people who see no
red, no green or no blue, as Okabe and Ito's do: https://jfly.uni-koeln.de/color/. Shapes and dashes
tell series apart without any color.
"""

from __future__ import annotations

from typing import Any

BLUE, GOLD, RED, TEAL, VIOLET, GREY, NAVY = (
    *("#005ea2", "#e5a000", "#b50909", "#00a398"),
    *("#783cb9", "#71767a", "#162e51"),
)
SKY, PINK, INK, LINE, PAPER = "#009ec1", "#d72d79", "#1b1b1b", "#dfe1e2", "#ffffff"
# Of series that choose none.
COLORS = (BLUE, RED, SKY, PINK, INK, NAVY)
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DASHES: tuple[list[int], ...] = ([1, 0], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [12, 6])
# Of maps: ascending figures, places without records, and those whose figure is not available.
SHADES = ("#d9e8f6", "#a9cbe8", "#73a9d6", "#3d82bd", BLUE, NAVY)
NOTHING, UNAVAILABLE = "#f0f0f0", "#c9c9c9"

# Each color on a page of a reader whose system is dark.
DARK = {
    BLUE: "#4a9be8",
    GOLD: "#f5c04a",
    RED: "#ff7a5c",
    TEAL: "#2bc4b6",
    VIOLET: "#b78ae8",
    GREY: "#8d9297",
    NAVY: "#a9c4ff",
    SKY: "#27d3d6",
    PINK: "#f58bb8",
    INK: "#f0f0f0",
    LINE: "#45494e",
    PAPER: "#1b1b1b",
    **dict(zip(SHADES[:4], ("#1d3347", "#24496b", "#2f6596", "#4082bd"), strict=True)),
    NOTHING: "#2a2c2f",
    UNAVAILABLE: "#55595e",
}

FONT = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
LABEL_SIZE, TITLE_SIZE = 12, 15
CONFIG: dict[str, Any] = {
    "background": PAPER,
    "font": FONT,
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": LINE,
        "domainColor": GREY,
        "labelFontSize": LABEL_SIZE,
        "titleFontSize": LABEL_SIZE,
        "titleFontWeight": "normal",
        "tickColor": GREY,
        "labelOverlap": "greedy",
    },
    "legend": {
        "orient": "top",
        "title": None,
        "columns": 4,
        "labelFontSize": LABEL_SIZE,
        "labelColor": INK,
        "symbolType": "square",
    },
    "text": {"color": INK, "font": FONT, "fontSize": LABEL_SIZE},
    "title": {"color": INK, "subtitleColor": INK, "anchor": "start", "offset": 12}
    | {"fontSize": TITLE_SIZE, "subtitleFontSize": LABEL_SIZE},
    "view": {"stroke": None},
}


def style_dark_charts() -> str:
    """Return the styles that give the charts of a page their colors where it is dark.

    `config/static/charts.css` has them, since the content policy lets no page bring its own.
    """
    rules = (
        f'  [fill="{light}"] {{ fill: {dark}; }} [stroke="{light}"] {{ stroke: {dark}; }}\n'
        for light, dark in DARK.items()
    )
    return f"@media screen and (prefers-color-scheme: dark) {{\n{''.join(rules)}}}\n"


def follow_reader(svg: str) -> str:
    """Return a chart that a page shows as an image, dark where the reader's system is.

    A chart that is saved stays as it is drawn.
    """
    begin, end, rest = svg.partition(">")
    return f"{begin}{end}<style>{style_dark_charts()}</style>{rest}"
