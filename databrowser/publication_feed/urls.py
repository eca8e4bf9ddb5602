"""Addresses of the publication history and of the files of each year."""

from __future__ import annotations

from django.urls import re_path

from databrowser.publication_feed import data_sets, open_data, permanent_versions, views

app_name = "publications"
urlpatterns = [
    re_path(r"^data\.json$", open_data.DataCatalogue.as_view(), name="data-catalogue"),
    re_path(r"^variables/(?P<year>[^/]+)/?$", open_data.Variables.as_view(), name="variables"),
    re_path(r"^datasets/?$", data_sets.DataSets.as_view(), name="data-sets"),
    re_path(
        r"^datasets/(?P<year>[0-9]+)/(?P<dataset>[^/]+)/?$",
        data_sets.DataSet.as_view(),
        name="data-set",
    ),
    re_path(
        r"^datasets/(?P<year>[0-9]+)/(?P<dataset>[^/]+)/(?P<name>[^/]+)$",
        data_sets.DataSetFile.as_view(),
        name="data-set-file",
    ),
    re_path(
        r"^versions/(?P<version>[^/]+)/?$",
        permanent_versions.PermanentVersionView.as_view(),
        name="version",
    ),
    re_path(
        r"^versions/(?P<version>[^/]+)/states/(?P<state>[^/]+)\.parquet$",
        permanent_versions.PermanentStateFileView.as_view(),
        name="version-state-file",
    ),
    re_path(
        r"^versions/(?P<version>[^/]+)/(?P<name>[^/]+)$",
        permanent_versions.PermanentFileView.as_view(),
        name="version-file",
    ),
    re_path(
        r"^datasets/(?P<year>[0-9]+)/(?P<dataset>[^/]+)/states/(?P<state>[^/]+)\.parquet$",
        data_sets.DataSetStateFile.as_view(),
        name="data-set-state-file",
    ),
    re_path(r"^publications/?$", views.Publications.as_view(), name="feed"),
    re_path(r"^publications/(?P<year>[^/]+)/?$", views.PublicYearView.as_view(), name="year"),
    re_path(
        r"^publications/(?P<year>[^/]+)/(?P<name>[^/]+)$",
        views.PublicFileView.as_view(),
        name="file",
    ),
    re_path(
        r"^publications/(?P<year>[^/]+)/states/(?P<state>[^/]+)\.parquet$",
        views.PublicStateFileView.as_view(),
        name="state-file",
    ),
]
