"""Addresses of modified LAR files and of the data dictionary."""

from __future__ import annotations

from django.urls import re_path

from databrowser.modified_lars import views

_FILE = r"^(?P<year>[^/]+)/(?P<lei>[^/]+)"
_FORM = r"/(?P<form>csv|txt)"

app_name = "modified"
urlpatterns = [
    re_path(r"^dictionary/?$", views.DataDictionaryView.as_view(), name="dictionary"),
    re_path(r"^dictionary/csv/?$", views.DataDictionaryCsvView.as_view(), name="dictionary-csv"),
    re_path(rf"{_FILE}/?$", views.ModifiedLarView.as_view(), name="file"),
    re_path(rf"{_FILE}/header/?$", views.ModifiedLarWithHeader.as_view(), name="file-header"),
    re_path(rf"{_FILE}{_FORM}/?$", views.ModifiedLarInForm.as_view(), name="file-form"),
    re_path(
        rf"{_FILE}{_FORM}/header/?$",
        views.ModifiedLarInFormWithHeader.as_view(),
        name="file-form-header",
    ),
]
