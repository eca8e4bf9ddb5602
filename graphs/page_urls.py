"""Addresses of the pages of the graphs."""

from __future__ import annotations

from django.urls import path

from graphs import pages, quarterly_calendar, quarterly_filers

urlpatterns = [
    path("", pages.GalleryPage.as_view(), name="graphs"),
    path(
        "quarterly-filers/",
        quarterly_filers.QuarterlyFilersPage.as_view(),
        name="quarterly-filers",
    ),
    path(
        "quarterly-calendar/",
        quarterly_calendar.QuarterlyCalendarPage.as_view(),
        name="quarterly-calendar",
    ),
    path(
        "quarterly-filers.csv",
        quarterly_filers.QuarterlyFilersCsv.as_view(),
        name="quarterly-filers-csv",
    ),
    path("<slug:endpoint>/", pages.GraphPage.as_view(), name="graph"),
    path("<slug:endpoint>.<slug:ending>", pages.GraphFilePage.as_view(), name="graph-file"),
]
