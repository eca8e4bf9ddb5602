"""Addresses of the data browser."""

from __future__ import annotations

from django.urls import re_path

from databrowser.api import views

app_name = "databrowser"
_VIEWS = {
    "view/aggregations": views.Aggregations,
    "view/nationwide/aggregations": views.NationwideAggregations,
    "view/csv": views.CsvView,
    "view/nationwide/csv": views.NationwideCsvView,
    "view/pipe": views.Pipe,
    "view/nationwide/pipe": views.NationwidePipe,
    "view/parquet": views.Parquet,
    "view/nationwide/parquet": views.NationwideParquet,
    "view/count": views.CountView,
    "view/filers": views.Filers,
    "view/figures": views.Figures,
    "view/figures/csv": views.FiguresCsv,
    "view/figures/parquet": views.FiguresParquet,
    "health": views.BrowserHealthView,
}
urlpatterns = [
    re_path(rf"^{path}/?$", view.as_view(), name=path.removeprefix("view/").replace("/", "-"))
    for path, view in _VIEWS.items()
]
