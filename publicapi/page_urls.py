"""Addresses of the pages: checks before filing, and the edits reference."""

from __future__ import annotations

from django.urls import path, re_path
from django.views.generic import RedirectView

from publicapi import edits_reference_pages, pages
from publicapi.receipts.keys import receipt_keys
from publicapi.receipts.pages import CheckReceipt

tools = RedirectView.as_view(pattern_name="check-line", http_method_names=["get", "head"])

urlpatterns = [
    path("tools/", tools, name="tools"),
    path("tools/check-line/", pages.CheckLine.as_view(), name="check-line"),
    path("tools/check-file/", pages.CheckFile.as_view(), name="check-file"),
    path("receipts/check/", CheckReceipt.as_view(), name="check-receipt"),
    path(".well-known/receipt-keys.json", receipt_keys, name="receipt-keys"),
    path("edits/", edits_reference_pages.EditsReference.as_view(), name="edit-book"),
    re_path(
        r"^edits/(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)/$",
        edits_reference_pages.EditPage.as_view(),
        name="edit-page",
    ),
]
