"""Addresses of the rate spread page."""

from __future__ import annotations

from django.urls import path

from ratespread import pages

urlpatterns = [
    path("", pages.RateSpread.as_view(), name="rate-spread"),
    path("list/", pages.LoanFile.as_view(), name="rate-spread-list"),
]
