"""Addresses of the pages: checks before filing, and the edits reference."""

from __future__ import annotations

from django.urls import path, re_path
from django.views.generic import RedirectView

from publicapi import edits_reference_pages, pages
from publicapi.lar_tool import page_filing
from publicapi.lar_tool import pages as lar_pages
from publicapi.receipts.keys import receipt_keys
from publicapi.receipts.pages import CheckReceipt

tools = RedirectView.as_view(pattern_name="check-line", http_method_names=["get", "head"])
lar_tool = RedirectView.as_view(
    pattern_name="lar-tool", permanent=True, http_method_names=["get", "head"]
)

urlpatterns = [
    path("tools/", tools, name="tools"),
    path("tools/check-line/", pages.CheckLine.as_view(), name="check-line"),
    path("tools/check-file/", pages.CheckFile.as_view(), name="check-file"),
    path("tools/lar/", lar_pages.Bring.as_view(), name="lar-tool"),
    path("tools/lar/columns/", lar_pages.Columns.as_view(), name="lar-columns"),
    path("tools/lar/result/", lar_pages.Result.as_view(), name="lar-result"),
    path("tools/lar/file/", page_filing.FileThis.as_view(), name="lar-file"),
    path("tools/lar/edit/", lar_pages.RowEditor.as_view(), name="lar-edit"),
    re_path("^tools/lar-formatting/?$", lar_tool, name="lar-formatting"),
    re_path("^tools/online-lar-formatting/?$", lar_tool, name="online-lar-formatting"),
    path("receipts/check/", CheckReceipt.as_view(), name="check-receipt"),
    path(".well-known/receipt-keys.json", receipt_keys, name="receipt-keys"),
    path("edits/", edits_reference_pages.EditsReference.as_view(), name="edit-book"),
    re_path(
        r"^edits/(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)/$",
        edits_reference_pages.EditPage.as_view(),
        name="edit-page",
    ),
]
