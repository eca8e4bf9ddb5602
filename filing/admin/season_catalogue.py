"""The pages of the catalogue of figures: a list, and each one as table, picture, CSV and JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase

from filing.admin import dashboard
from filing.charts import drawing, theme
from filing.charts.drawing import Axis, ColoredSeries
from filing.errors import BadInput, NotFound
from filing.figures import Figure, FigureAnswer, answer_figure, find_figure, list_figures
from filing.files import responses
from filing.models import FilingPeriod

ROWS_SHOWN = 100  # of a figure on its page; the CSV has all
BARS_DRAWN = 20  # of a picture by names
DAYS_DRAWN = 400  # bars of a picture by days
_FORMS = ("csv", "json", "svg")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d[+-]\d\d:\d\d")
_BAR_PIXELS = 22
_BY_TIME = {"day", "begins", "period"}
_WITH_TESTS = "test"  # the parameter with which test institutions count


@dataclass(frozen=True)
class FigureForm:
    """What was entered on the page of a figure.

    day: as text. values: of the parameters of the figure, by name.
    """

    figure: Figure
    period: FilingPeriod
    day: str
    with_tests: bool
    values: Mapping[str, str]

    @property
    def query(self) -> str:
        """The form as the query of an address."""
        entered = {"period": str(self.period), "day": self.day, **self.values}
        if self.with_tests:
            entered[_WITH_TESTS] = "on"
        return urlencode({name: value for name, value in entered.items() if value})

    @property
    def fields(self) -> list[dict[str, str]]:
        """The fields of the parameters."""
        return [
            {
                "name": parameter.name,
                "label": parameter.label,
                "value": self.values[parameter.name],
                "default": "" if parameter.default is None else str(parameter.default),
            }
            for parameter in self.figure.parameters
        ]

    def answer(self) -> FigureAnswer:
        """Return the answer. Raises: BadInput."""
        return answer_figure(
            self.figure.name,
            period=str(self.period),
            as_of=_read_day(self.day),
            parameters=self.values,
            with_tests=self.with_tests,
        )


@dashboard.season_viewers_only
def list_catalogue(request: HttpRequest) -> HttpResponse:
    """List all figures by group."""

    def more(request: HttpRequest, period: FilingPeriod) -> dict[str, Any]:
        by_group = groupby(list_figures(), lambda figure: figure.group)
        return {"groups": [(group, list(figures)) for group, figures in by_group]}

    return dashboard.show_page(request, "catalogue", "Figures", more)


@dashboard.season_viewers_only
def show_figure(request: HttpRequest, figure: str) -> HttpResponse:
    """Show a figure as a table, with its picture; 400 with what is right for a wrong value."""
    chosen = _find(figure)
    status = 200

    def more(request: HttpRequest, period: FilingPeriod) -> dict[str, Any]:
        nonlocal status
        form = _read_form(request, chosen, period)
        context: dict[str, Any] = {"figure": chosen, "figure_form": form}
        try:
            answer = form.answer()
        except BadInput as error:
            status = 400 if any([form.day, *form.values.values()]) else 200
            return context | {"error": error.message}
        rows = [[_cell(value) for value in row] for row in answer.rows[:ROWS_SHOWN]]
        labels = [label_column(column) for column in chosen.columns]
        return context | {
            "answer": answer,
            "labels": [
                (label, place > 0 and any(row[place][1] for row in rows))
                for place, label in enumerate(labels)
            ],
            "rows": rows,
            "shown": min(ROWS_SHOWN, len(answer.rows)),
            "total": len(answer.rows),
            "is_drawn": chosen.chart is not None and len(answer.rows) > 1,
        }

    response = dashboard.show_page(request, "figure", chosen.title, more)
    response.status_code = status
    return response


@dashboard.season_viewers_only
def export_figure(request: HttpRequest, figure: str, form: str) -> HttpResponseBase:
    """Return a figure as CSV, JSON, or its picture as SVG. Refusals are JSON, too."""
    chosen = _find(figure)
    if form not in _FORMS:
        raise Http404(f"A figure has these forms: {', '.join(_FORMS)}.")
    period = dashboard.select_period(request)
    if period is None:
        raise Http404("There is no filing period yet.")
    try:
        answer = _read_form(request, chosen, period).answer()
    except BadInput as error:
        return JsonResponse({"httpStatus": 400, "message": error.message}, status=400)
    if form == "json":
        return JsonResponse(answer.as_json())
    if form == "csv":
        lines = responses.write_csv_lines(answer.list_cells())
        return responses.stream_attachment(f"{chosen.name}-{period}.csv", lines)
    if chosen.chart is None:
        raise Http404("This figure has no picture.")
    svg = theme.follow_reader(draw_answer(answer, narrow="narrow" in request.GET))
    return HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")


def label_column(name: str) -> str:
    """Return the name of a column in words: `signedAt` is `Signed at`."""
    if name == "lei":
        return "LEI"
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z]{2})(?=[0-9])", " ", name).lower()
    return words[:1].upper() + words[1:]


def draw_answer(answer: FigureAnswer, *, narrow: bool = False) -> str:
    """Return the first rows of an answer as bars: upright by time, lying by name."""
    chart, columns = answer.figure.chart, answer.figure.columns
    if chart is None:
        raise ValueError(f"{answer.figure.name} has no picture.")
    rows = [dict(zip(columns, row, strict=True)) for row in answer.rows]
    description = f"{answer.figure.title}, {answer.question.period}"
    width = drawing.NARROW if narrow else drawing.WIDTH
    series = ColoredSeries(chart.series) if chart.series else None
    if chart.x in _BY_TIME:
        rows = [row | {chart.x: _name_day(row[chart.x])} for row in rows]
        return drawing.draw_bars(
            rows[:DAYS_DRAWN] if chart.x != "period" else rows[::-1],
            x=Axis(chart.x),
            y=Axis(chart.y, label_column(chart.y), "quantitative"),
            series=series,
            description=description,
            width=width,
        )
    bars = rows[:BARS_DRAWN]
    spec = {
        "width": width - 160,
        "height": _BAR_PIXELS * len(bars),
        "data": {"values": bars},
        "padding": {"left": 40, "right": 20, "top": 5, "bottom": 5},  # for wider fonts of readers
        "mark": {"type": "bar", "color": theme.BLUE},
        "encoding": {
            "y": {"field": chart.x, "type": "nominal", "sort": None, "title": None},
            "x": {"field": chart.y, "type": "quantitative", "title": label_column(chart.y)},
        },
    }
    return drawing.draw_picture(spec, description)


def _find(name: str) -> Figure:
    try:
        return find_figure(name)
    except NotFound as error:
        raise Http404(error.message) from error


def _read_form(request: HttpRequest, figure: Figure, period: FilingPeriod) -> FigureForm:
    return FigureForm(
        figure,
        period,
        request.GET.get("day", "").strip(),
        _WITH_TESTS in request.GET,
        {each.name: request.GET.get(each.name, "").strip() for each in figure.parameters},
    )


def _read_day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput("The day is not a date; enter it as 2026-03-02.") from None


def _cell(value: Any) -> tuple[str, bool]:
    """Return the text of a cell, and whether it is a number."""
    if value is None:
        return "\N{EN DASH}", False
    if isinstance(value, bool):
        return "yes" if value else "no", False
    if isinstance(value, int | float):
        return f"{value:,}", True
    moment = _MOMENT.fullmatch(str(value))
    return f"{moment[1]} {moment[2]}" if moment else str(value), False


def _name_day(text: str) -> str:
    """Return a day as below a bar: `Mar 2`; a period as it is."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return text
    return f"{day:%b} {day.day}"
