"""Addresses of modified LAR files: ours, and the older ones of the file proxy."""

from __future__ import annotations

from django.urls import re_path

from databrowser import modified_views as views

_OURS = r"^v2/public/modifiedLAR"
_FILE = rf"{_OURS}/(?P<year>[^/]+)/(?P<lei>[^/]+)"
_OLDER = r"^file/modifiedLar/year/(?P<year>[^/]+)/institution/(?P<lei>[^/]+)"
_FORM = r"/(?P<form>csv|txt)"

app_name = "modified"
urlpatterns = [
    re_path(rf"{_OURS}/dictionary/?$", views.DataDictionary.as_view(), name="dictionary"),
    re_path(
        rf"{_OURS}/dictionary/csv/?$", views.DataDictionaryCsv.as_view(), name="dictionary-csv"
    ),
    re_path(rf"{_FILE}/?$", views.ModifiedLar.as_view(), name="file"),
    re_path(rf"{_FILE}/header/?$", views.ModifiedLarWithHeader.as_view(), name="file-header"),
    re_path(rf"{_FILE}{_FORM}/?$", views.ModifiedLarInForm.as_view(), name="file-form"),
    re_path(
        rf"{_FILE}{_FORM}/header/?$",
        views.ModifiedLarInFormWithHeader.as_view(),
        name="file-form-header",
    ),
    re_path(rf"{_OLDER}{_FORM}/?$", views.FileOfInstitution.as_view(), name="older"),
    re_path(
        rf"{_OLDER}{_FORM}/header/?$",
        views.FileOfInstitutionWithHeader.as_view(),
        name="older-header",
    ),
]
