"""Addresses of the graphs API, which has no version prefix."""

from __future__ import annotations

from django.urls import re_path

from graphs import views

app_name = "graphs"
urlpatterns = [
    re_path(r"^graphs/?$", views.Graphs.as_view(), name="list"),
    re_path(r"^graphs/(?P<endpoint>[^/]+)/?$", views.GraphFigures.as_view(), name="graph"),
]
