"""Addresses of the page of the rate spread."""

from __future__ import annotations

from django.urls import path

from ratespread import pages

urlpatterns = [
    path("", pages.RateSpread.as_view(), name="rate-spread"),
    path("list/", pages.Listed.as_view(), name="rate-spread-list"),
]
