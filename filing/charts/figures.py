"""A chart inside a page, whose values are read by pointing at it and with the arrow keys.

`build_chart_figure` takes any SVG of `filing.charts.drawing` whose marks have an `aria-label`: in
Vega-Lite the channel `description`. It puts the picture in the page, where `chart.js` finds its
marks. The page loads that script once, in its block `scripts`, however many charts it has.

A label ends in ": " and the value, `Cook County, Illinois: 1,204`. With series it begins with the
name of the series and ", ", and the marks of a place on the x axis have the same text between:
`FHA, 2024-Q1: 682.00`. Nothing else is needed: which marks are above each other follows from where
they are drawn. A chart that a script puts in the page later works as well.

Without script the picture is one image with its description, and a table beside it has the values.
"""

from __future__ import annotations

from enum import StrEnum

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe


class MarkOrder(StrEnum):
    """How the arrow keys go from mark to mark, and what shows where someone points.

    SERIES: right and left along a series, up and down to the others; all values of one place on the
    x axis show together. LIST: from each mark to the next, as they are drawn; one value shows.
    """

    SERIES = "series"
    LIST = "list"


def build_chart_figure(
    svg: str,
    *,
    narrow: str = "",
    order: MarkOrder = MarkOrder.SERIES,
    caption: str = "",
    form: str = "",
) -> SafeString:
    """Return a chart as a `<figure>` for a page.

    Args:
        svg: The picture, made by this room: it is not escaped.
        narrow: The picture for telephones; blank where the other one becomes smaller.
        order: How the marks follow each other.
        caption: Shown below; escaped unless it is safe.
        form: The id of a form with a checkbox for each series, its value the name of the series; a
            click on a name in the legend then changes its box.
    """
    pictures = [("site-chart__wide" if narrow else "", svg), ("site-chart__narrow", narrow)]
    parts = [
        format_html('<div class="{}">{}</div>', name, mark_safe(picture))  # noqa: S308 -- our own
        for name, picture in pictures
        if picture
    ]
    return format_html(
        '<figure class="site-chart"><chart-values data-order="{}" data-form="{}">{}</chart-values>'
        '<p class="site-chart__hint">Point at the picture to read its values, or go through them '
        "with the arrow keys.</p>{}</figure>",
        order,
        form,
        mark_safe("".join(parts)),  # noqa: S308 -- escaped above
        format_html("<figcaption>{}</figcaption>", caption) if caption else "",
    )
