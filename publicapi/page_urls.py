"""Addresses of the pages: checks before filing, and the edits reference."""

from __future__ import annotations

from django.urls import path, re_path
from django.views.generic import RedirectView

from publicapi import edits_reference, pages
from publicapi.coverage.views import CoveragePage
from publicapi.lar_tool import page_filing
from publicapi.lar_tool import pages as lar_pages
from publicapi.receipts import CheckReceiptPage, list_receipt_keys

tools = RedirectView.as_view(pattern_name="check-line", http_method_names=["get", "head"])
lar_tool = RedirectView.as_view(
    pattern_name="lar-tool", permanent=True, http_method_names=["get", "head"]
)

urlpatterns = [
    path("tools/", tools, name="tools"),
    path("tools/check-line/", pages.CheckLinePage.as_view(), name="check-line"),
    path("tools/check-file/", pages.CheckFilePage.as_view(), name="check-file"),
    path("tools/am-i-covered/", CoveragePage.as_view(), name="am-i-covered"),
    path("tools/lar/", lar_pages.BringFilePage.as_view(), name="lar-tool"),
    path("tools/lar/columns/", lar_pages.MatchColumnsPage.as_view(), name="lar-columns"),
    path("tools/lar/result/", lar_pages.ConversionResultPage.as_view(), name="lar-result"),
    path("tools/lar/file/", page_filing.FileLarPage.as_view(), name="lar-file"),
    path("tools/lar/edit/", lar_pages.RowEditorPage.as_view(), name="lar-edit"),
    re_path("^tools/lar-formatting/?$", lar_tool, name="lar-formatting"),
    re_path("^tools/online-lar-formatting/?$", lar_tool, name="online-lar-formatting"),
    path("receipts/check/", CheckReceiptPage.as_view(), name="check-receipt"),
    path(".well-known/receipt-keys.json", list_receipt_keys, name="receipt-keys"),
    path("edits/", edits_reference.EditsReferencePage.as_view(), name="edit-book"),
    re_path(
        r"^edits/(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)/$",
        edits_reference.EditReferencePage.as_view(),
        name="edit-page",
    ),
]
