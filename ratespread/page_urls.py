"""Addresses of the rate spread page."""

from __future__ import annotations

from django.urls import path

from ratespread import pages

urlpatterns = [
    path("", pages.LoanRateSpreadPage.as_view(), name="rate-spread"),
    path("list/", pages.FileRateSpreadPage.as_view(), name="rate-spread-list"),
]
