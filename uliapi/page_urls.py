"""Addresses of the check digit page."""

from __future__ import annotations

from django.urls import path

from uliapi import pages

urlpatterns = [
    path("", pages.CheckDigitAnswer.as_view(), name="check-digit"),
    *(
        path(f"{word}/", pages.IdentifierFile.as_view(word=word), name=f"check-digit-{word}")
        for word in pages.LISTS
    ),
]
