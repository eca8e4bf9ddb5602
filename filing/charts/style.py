"""The colors, fonts and sizes of charts, which are those of the site."""

from __future__ import annotations

from typing import Any

BLUE, GOLD, RED, TEAL, VIOLET, GREY, NAVY = (
    *("#005ea2", "#e5a000", "#b50909", "#00a398"),
    *("#783cb9", "#71767a", "#162e51"),
)
COLORS = (BLUE, GOLD, TEAL, RED, VIOLET, GREY, NAVY)
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
