"""The older addresses of the yearly reports, those of the former file server."""

from __future__ import annotations

from django.urls import re_path

from databrowser.reports import views

_YEAR, _WHERE = r"(?P<year>[0-9]{4})", r"(?P<msa_md>[0-9]{5})/(?P<report>[0-9A-Za-z]+)\.json"

app_name = "older-reports"
urlpatterns = [
    re_path(
        rf"^aggregate/{_YEAR}/{_WHERE}$",
        views.AggregateReportByOlderAddress.as_view(),
        name="aggregate",
    ),
    re_path(
        rf"^disclosure/{_YEAR}/(?P<lei>[0-9A-Za-z]{{20}})/{_WHERE}$",
        views.DisclosureReportByOlderAddress.as_view(),
        name="disclosure",
    ),
]
