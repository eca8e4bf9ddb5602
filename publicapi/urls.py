"""Addresses of the public checks. `hmda` is an older word for `disclosure` in them."""

from __future__ import annotations

from django.urls import URLPattern, re_path
from django.views import View

from publicapi import edits_reference, files, institutions, lines, receipts
from publicapi.coverage.views import CoverageView
from publicapi.lar_tool import views as lar_tool_views

_YEAR = r"year/(?P<year>[0-9]{4})"
_CODE = r"(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)"


def _of_periods(word: str, view: type[View]) -> list[URLPattern]:
    """Return the addresses of a check with the edits of a year, and of a quarter."""
    begin = rf"^{word}/validate/(?P<year>[0-9]+)"
    quarter = r"/quarter/(?P<quarter>Q[123])"
    return [
        re_path(rf"{begin}/?$", view.as_view(), name=f"validate-{word}"),
        re_path(rf"{begin}{quarter}/?$", view.as_view(), name=f"quarter-validate-{word}"),
    ]


def _of_lar_tool(*views: type[View]) -> list[URLPattern]:
    """Return the addresses of the LAR formatting tool, each with the name of its view."""
    names = {view: view.__name__.lower() for view in views}
    return [
        re_path(rf"^lar/{name}/?$", view.as_view(), name=f"lar-{name}")
        for view, name in names.items()
    ]


def _of_files(word: str, view: type[View], csv: type[View]) -> list[URLPattern]:
    """Return the addresses that check a file for formatting errors."""
    return [
        re_path(rf"^{word}/parse/?$", view.as_view(), name=f"parse-{word}"),
        re_path(rf"^{word}/parse/csv/?$", csv.as_view(), name=f"parse-{word}-csv"),
    ]


app_name = "publicapi"
urlpatterns = [
    re_path(r"^institutions/?$", institutions.InstitutionsView.as_view(), name="institutions"),
    re_path(
        rf"^institutions/{_YEAR}/?$",
        institutions.InstitutionsOfYearView.as_view(),
        name="institutions-of-year",
    ),
    re_path(
        r"^institutions/quarterly/(?P<year>[0-9]{4})/lars/past/(?P<past>[0-9]{1,2})/?$",
        institutions.LarCountsView.as_view(),
        name="lar-counts",
    ),
    re_path(
        rf"^institutions/(?P<lei>[^/]+)/{_YEAR}/?$",
        institutions.PublicInstitutionView.as_view(),
        name="institution",
    ),
    re_path(
        rf"^institutions/(?P<lei>[^/]+)/{_YEAR}/history/?$",
        institutions.InstitutionHistoryView.as_view(),
        name="institution-history",
    ),
    re_path(r"^receipts/check/?$", receipts.CheckReceiptView.as_view(), name="check-receipt"),
    re_path(r"^receipts/(?P<receipt>[^/]+)/?$", receipts.ReceiptView.as_view(), name="receipt"),
    re_path(r"^coverage/?$", CoverageView.as_view(), name="coverage"),
    re_path(r"^edits/?$", edits_reference.EditsView.as_view(), name="edits"),
    re_path(rf"^edits/{_CODE}/?$", edits_reference.EditEntriesView.as_view(), name="edit"),
    re_path(r"^ts/parse/?$", lines.ParseSheet.as_view(), name="parse-ts"),
    re_path(r"^lar/parse/?$", lines.ParseLoan.as_view(), name="parse-lar"),
    *_of_lar_tool(
        lar_tool_views.Fields,
        lar_tool_views.Template,
        lar_tool_views.Columns,
        lar_tool_views.Convert,
        lar_tool_views.Spreadsheet,
    ),
    *_of_periods("ts", lines.ValidateSheet),
    *_of_periods("lar", lines.ValidateLoan),
    *_of_files("disclosure", files.ParseFile, files.ParseFileAsCsv),
    *_of_periods("disclosure", files.ValidateFile),
    *_of_files("hmda", files.ParseFileByOlderName, files.ParseFileAsCsvByOlderName),
    *_of_periods("hmda", files.ValidateFileByOlderName),
]
