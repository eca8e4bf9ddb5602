"""The older addresses of modified LAR files, those of the former file proxy."""

from __future__ import annotations

from django.urls import re_path

from databrowser.modified_lars import views

_FILE = r"^modifiedLar/year/(?P<year>[^/]+)/institution/(?P<lei>[^/]+)/(?P<form>csv|txt)"

app_name = "older"
urlpatterns = [
    re_path(rf"{_FILE}/?$", views.FileOfInstitution.as_view(), name="modified"),
    re_path(
        rf"{_FILE}/header/?$", views.FileOfInstitutionWithHeader.as_view(), name="modified-header"
    ),
]
