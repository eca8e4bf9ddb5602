"""Addresses of the pages of the graphs."""

from __future__ import annotations

from django.urls import path

from graphs import pages

urlpatterns = [
    path("", pages.GalleryPage.as_view(), name="graphs"),
    path("<slug:endpoint>/", pages.GraphPage.as_view(), name="graph"),
    path("<slug:endpoint>.<slug:ending>", pages.GraphFilePage.as_view(), name="graph-file"),
]
