"""Addresses of the publication history and of the files of each year."""

from __future__ import annotations

from django.urls import re_path

from databrowser.publication_feed import views

app_name = "publications"
urlpatterns = [
    re_path(r"^publications/?$", views.Publications.as_view(), name="feed"),
    re_path(r"^publications/(?P<year>[^/]+)/?$", views.PublicYearView.as_view(), name="year"),
    re_path(
        r"^publications/(?P<year>[^/]+)/(?P<name>[^/]+)$",
        views.PublicFileView.as_view(),
        name="file",
    ),
]
