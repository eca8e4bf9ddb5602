"""Addresses of the public checks. `hmda` is the older word for `disclosure` in them."""

from __future__ import annotations

from django.urls import re_path

from publicapi import views

_CODE = r"(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)"

app_name = "publicapi"
urlpatterns = [
    re_path(r"^institutions/?$", views.Institutions.as_view(), name="institutions"),
    re_path(r"^edits/?$", views.Edits.as_view(), name="edits"),
    re_path(rf"^edits/{_CODE}/?$", views.EditEntries.as_view(), name="edit"),
    *(
        re_path(
            rf"^{word}/validate/(?P<year>[0-9]+){quarter}/?$",
            view.as_view(),
            name=f"{prefix}validate-{word}",
        )
        for word, view in (
            ("disclosure", views.ValidateFile),
            ("hmda", views.ValidateFileByOlderName),
        )
        for prefix, quarter in (("", ""), ("quarter-", r"/quarter/(?P<quarter>Q[123])"))
    ),
]
