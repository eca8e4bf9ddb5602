"""Addresses of what changed between two versions."""

from __future__ import annotations

from django.urls import re_path

from databrowser.differences import views

app_name = "differences"
_ADDRESS = r"^publications/(?P<year>[^/]+)/differences"
urlpatterns = [
    re_path(rf"{_ADDRESS}/?$", views.DifferencesView.as_view(), name="json"),
    re_path(rf"{_ADDRESS}/csv$", views.DifferencesCsvView.as_view(), name="csv"),
]
