"""Addresses of the page of the check digit."""

from __future__ import annotations

from django.urls import path

from uliapi import pages

urlpatterns = [
    path("", pages.CheckDigit.as_view(), name="check-digit"),
    *(
        path(f"{word}/", pages.Listed.as_view(word=word), name=f"check-digit-{word}")
        for word in pages.LISTS
    ),
]
