"""Addresses of the Institution Register Summary: JSON, CSV, the older address, and the page."""

from __future__ import annotations

from django.urls import re_path

from databrowser.register_summaries import pages, views

_YEAR = r"(?P<year>[0-9]{4}(?:-Q[1-3])?)"
_LEI = r"(?P<lei>[0-9A-Za-z]{20})"
_OF_INSTITUTION = rf"reports/{_YEAR}/disclosure/{_LEI}/nationwide/IRS"

app_name = "irs"
urlpatterns = [
    re_path(rf"^v2/public/{_OF_INSTITUTION}/?$", views.SummaryJsonView.as_view(), name="json"),
    re_path(rf"^v2/public/{_OF_INSTITUTION}/csv/?$", views.SummaryCsvView.as_view(), name="csv"),
    re_path(
        rf"^file/reports/irs/year/{_YEAR}/institution/{_LEI}/?$",
        views.SummaryFileView.as_view(),
        name="file",
    ),
    re_path(rf"^data/{_OF_INSTITUTION}/$", pages.RegisterSummaryPage.as_view(), name="page"),
]
