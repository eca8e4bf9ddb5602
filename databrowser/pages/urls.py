"""Addresses of the pages of the data browser and of the files to download."""

from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

from databrowser.changes.pages import ChangesPage
from databrowser.differences.pages import DifferencesPage
from databrowser.pages import browser, downloads
from databrowser.pages.modified_lars import ModifiedLars
from databrowser.pages.saved_questions import QuestionFeed
from databrowser.pages.sql import SqlPage, SqlWorker
from databrowser.pages.versions import VersionPage

data = RedirectView.as_view(
    pattern_name="data-browser", query_string=True, http_method_names=["get", "head"]
)

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
    path("sql/", SqlPage.as_view(), name="data-sql"),
    path("sql/worker.js", SqlWorker.as_view(), name="data-sql-worker"),
    path("versions/<slug:address>/", VersionPage.as_view(), name="data-version"),
    path("modified-lars/", ModifiedLars.as_view(), name="data-modified-lars"),
]
