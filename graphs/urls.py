"""Addresses of the graphs API, which has no version prefix."""

from __future__ import annotations

from django.urls import re_path

from graphs import api

app_name = "graphs"
urlpatterns = [
    re_path(r"^graphs/?$", api.GraphListView.as_view(), name="list"),
    re_path(r"^graphs/(?P<endpoint>[^/]+)/?$", api.GraphFiguresView.as_view(), name="graph"),
]
