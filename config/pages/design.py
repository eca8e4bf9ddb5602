"""The style page: each part of a page once, from the very templates that pages use.

Only developers see it: where DEBUG is on.
"""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.views.generic import TemplateView

from filing.charts import drawing
from filing.charts.drawing import Axis, ColoredSeries, TrendChart
from filing.charts.figures import build_chart_figure
from filing.scanning import ScannedFileField

STYLES = settings.BASE_DIR / "config" / "static" / "site.css"
TAGS = (
    ("good", "Filed"),
    ("info", "Being checked"),
    ("warn", "Due in 5 days"),
    ("bad", "Needs attention"),
    ("quiet", "Not started"),
)
ROWS = [
    ["Bank of the Lakes", "BANKOFTHELAKES000042", "ana@lakes.example", "Mar 1, 2025", "1,204"],
    ["Prairie Credit Union", "PRAIRIECREDITUNION17", "bo@prairie.example", "Feb 27, 2025", "98"],
]
COUNTS = {"Purchase": (120, 180, 240), "Refinance": (200, 150, 90), "Improvement": (30, 45, 60)}


class ExampleForm(forms.Form):
    """Each kind of field, one of them with an error."""

    name = forms.CharField(label="Institution name", help_text="As in its charter.")
    email = forms.EmailField(label="Email", required=False)
    kind = forms.ChoiceField(label="Filing period", choices=[("y", "Year"), ("q", "Quarter")])
    agencies = forms.MultipleChoiceField(
        label="Agencies",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[("9", "CFPB"), ("5", "NCUA")],
    )
    sent = forms.ChoiceField(
        label="Copy to", widget=forms.RadioSelect, choices=[("me", "Me"), ("all", "Everyone")]
    )
    file = ScannedFileField(label="LAR file", widget=forms.FileInput({"class": "usa-file-input"}))
    agreed = forms.BooleanField(label="I certify the data", required=False)


def list_colors() -> list[str]:
    """Return the names of the colors of pages, as their style sheet defines them."""
    text = STYLES.read_text()
    return list(dict.fromkeys(re.findall(r"(--[\w-]+): #", text)))


def _draw_trend() -> SafeString:
    rows = [
        {"x": f"Q{at}", "y": count, "of": name, "label": f"{name}, Q{at}: {count}"}
        for name, counts in COUNTS.items()
        for at, count in enumerate(counts, start=1)
    ]
    chart = TrendChart(
        rows,
        x=Axis("x"),
        y=Axis("y", "Records", "quantitative"),
        series=ColoredSeries("of"),
        label="label",
        description="Records by quarter and loan purpose.",
    )
    return build_chart_figure(
        chart.svg(), narrow=chart.svg(drawing.TREND_NARROW), caption="Made-up data."
    )


class StylePage(TemplateView):
    """Type, spacing, colors, tags, buttons, tables, forms, charts, alerts, empty states, steps."""

    template_name = "design.html"

    def get(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """Return the page; nobody but developers has one."""
        if not settings.DEBUG:
            raise Http404("There is no such page.")
        return super().get(request, *args, **options)

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        """Return one example of each part."""
        return super().get_context_data(**options) | {
            "colors": list_colors(),
            "tags": TAGS,
            "columns": ["Institution", "LEI", "Email", "Signed", "Records"],
            "rows": ROWS,
            "form": ExampleForm({"email": "ana@"}),
            "messages": [
                Message(constants.SUCCESS, "The filing was signed."),
                Message(constants.INFO, "The file is being checked."),
                Message(constants.WARNING, "The filing deadline is in 5 days."),
                Message(constants.ERROR, "The file is UTF-16. Save it as UTF-8."),
            ],
            "numbered": Paginator(range(90), 10).page(4),
            "trend": _draw_trend(),
            "steps": [
                {"label": "Upload", "state": "complete"},
                {"label": "Review edits", "state": "current"},
                {"label": "Sign", "state": ""},
            ],
        }
