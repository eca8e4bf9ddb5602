"""Addresses of the pages: checks before filing, and the book of edits."""

from __future__ import annotations

from django.urls import path, re_path

from publicapi import book_pages, pages

urlpatterns = [
    path("tools/check-line/", pages.CheckLine.as_view(), name="check-line"),
    path("tools/check-file/", pages.CheckFile.as_view(), name="check-file"),
    path("edits/", book_pages.Book.as_view(), name="edit-book"),
    re_path(
        r"^edits/(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)/$",
        book_pages.Entry.as_view(),
        name="edit-page",
    ),
]
