"""Addresses of the pages of the data browser and of the files to download."""

from __future__ import annotations

from django.urls import path, re_path
from django.views.generic import RedirectView

from databrowser.changes.pages import ChangesPage
from databrowser.differences.pages import DifferencesPage
from databrowser.pages import browser, downloads, reports
from databrowser.pages.modified_lars import ModifiedLars
from databrowser.pages.saved_questions import QuestionFeed
from databrowser.pages.sql import SqlPage, SqlWorker
from databrowser.pages.versions import VersionPage

data = RedirectView.as_view(
    pattern_name="data-browser", query_string=True, http_method_names=["get", "head"]
)

_AGGREGATE = r"^reports/(?P<year>[0-9]{4})/aggregate/"
_STATE = rf"{_AGGREGATE}(?P<state>[A-Z]{{2}})/"
_DISCLOSURE = r"^reports/(?P<year>[0-9]{4})/disclosure/"
_INSTITUTION = rf"{_DISCLOSURE}(?P<lei>[0-9A-Za-z]{{20}})/"
_MSA_MD, _REPORT = "(?P<msa_md>[0-9]{5})/", "(?P<report>[0-9A-Za-z]+)/"

urlpatterns = [
    path("", data, name="data"),
    path("browser/", browser.Browser.as_view(), name="data-browser"),
    path("browser/places/", browser.PlaceSearch.as_view(), name="data-browser-places"),
    path("browser/counts/", browser.FilterCounts.as_view(), name="data-browser-counts"),
    path("browser/figures.atom", QuestionFeed.as_view(), name="data-browser-feed"),
    path("browser/loans.<slug:ending>", browser.LoansFile.as_view(), name="data-browser-loans"),
    path("browser/<slug:picture>.svg", browser.Picture.as_view(), name="data-browser-picture"),
    path(
        "browser/map.png",
        browser.Picture.as_view(ending="png"),
        {"picture": "map"},
        name="data-browser-map-image",
    ),
    path("changes/", ChangesPage.as_view(), name="data-changes"),
    path("changes/<year>/", DifferencesPage.as_view(), name="data-differences"),
    path("downloads/", downloads.Downloads.as_view(), name="data-downloads"),
    path("reports/", reports.ReportKinds.as_view(), name="reports"),
    re_path(rf"{_AGGREGATE}$", reports.AggregateStates.as_view(), name="reports-aggregate"),
    re_path(rf"{_STATE}$", reports.AggregatePlaces.as_view(), name="reports-state"),
    re_path(rf"{_STATE}{_MSA_MD}$", reports.AggregateReports.as_view(), name="reports-msa-md"),
    re_path(rf"{_STATE}{_MSA_MD}{_REPORT}$", reports.AggregateReport.as_view(), name="report"),
    re_path(
        rf"{_DISCLOSURE}$", reports.DisclosureInstitutions.as_view(), name="reports-disclosure"
    ),
    re_path(rf"{_INSTITUTION}$", reports.DisclosurePlaces.as_view(), name="reports-institution"),
    re_path(
        rf"{_INSTITUTION}{_MSA_MD}$",
        reports.DisclosureReports.as_view(),
        name="reports-institution-msa-md",
    ),
    re_path(
        rf"{_INSTITUTION}{_MSA_MD}{_REPORT}$",
        reports.DisclosureReport.as_view(),
        name="disclosure-report",
    ),
    path("sql/", SqlPage.as_view(), name="data-sql"),
    path("sql/worker.js", SqlWorker.as_view(), name="data-sql-worker"),
    path("versions/<slug:address>/", VersionPage.as_view(), name="data-version"),
    path("modified-lars/", ModifiedLars.as_view(), name="data-modified-lars"),
]
