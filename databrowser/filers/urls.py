"""Addresses of the filers of a year."""

from __future__ import annotations

from django.urls import re_path

from databrowser.filers import views

app_name = "filers"
urlpatterns = [
    re_path(r"^filers/(?P<year>[^/]+)/?$", views.FilersOfYear.as_view(), name="of-year"),
    re_path(
        r"^filers/(?P<year>[^/]+)/(?P<lei>[^/]+)/msaMds/?$",
        views.MsaMdsOfFiler.as_view(),
        name="msa-mds",
    ),
]
