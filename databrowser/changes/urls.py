"""Addresses of changes, and of the feeds in Atom."""

from __future__ import annotations

from django.urls import path, re_path

from databrowser.changes import views

app_name = "changes"
urlpatterns = [
    re_path(r"^changes/?$", views.Changes.as_view(), name="list"),
    path("changes.atom", views.ChangesFeed.as_view(), name="atom"),
    path("publications.atom", views.PublicationsFeed.as_view(), name="publications-atom"),
]
