"""Addresses of the yearly reports."""

from __future__ import annotations

from django.urls import re_path

from databrowser.reports import views

_YEAR, _LEI, _MSA_MD = r"(?P<year>[0-9]{4})", r"(?P<lei>[0-9A-Za-z]{20})", r"(?P<msa_md>[0-9]{5})"
_REPORT = r"(?P<report>[0-9A-Za-z]+)"
_REPORTS = "^reports"
_AGGREGATE = rf"{_REPORTS}/{_YEAR}/aggregate"
_DISCLOSURE = rf"{_REPORTS}/{_YEAR}/disclosure/{_LEI}"
_OF_INSTITUTION = rf"{_DISCLOSURE}/{_MSA_MD}/{_REPORT}"

app_name = "reports"
urlpatterns = [
    re_path(rf"{_REPORTS}/?$", views.ReportYears.as_view(), name="years"),
    re_path(rf"{_REPORTS}/{_YEAR}/all\.zip$", views.ReportArchive.as_view(), name="archive"),
    re_path(rf"{_AGGREGATE}/?$", views.ReportMsaMds.as_view(), name="msa-mds"),
    re_path(rf"{_AGGREGATE}/{_MSA_MD}/?$", views.ReportsOfMsaMd.as_view(), name="of-msa-md"),
    re_path(
        rf"{_AGGREGATE}/{_MSA_MD}/{_REPORT}/?$",
        views.AggregateReport.as_view(),
        name="aggregate",
    ),
    re_path(
        rf"{_AGGREGATE}/{_MSA_MD}/{_REPORT}/csv/?$",
        views.AggregateCsv.as_view(),
        name="aggregate-csv",
    ),
    re_path(rf"{_DISCLOSURE}/?$", views.ReportsOfInstitution.as_view(), name="of-institution"),
    re_path(rf"{_OF_INSTITUTION}/?$", views.DisclosureReport.as_view(), name="disclosure"),
    re_path(rf"{_OF_INSTITUTION}/csv/?$", views.DisclosureCsv.as_view(), name="disclosure-csv"),
]
