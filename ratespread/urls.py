"""Addresses of the rate spread API, which has no version prefix."""

from __future__ import annotations

from django.urls import path, re_path

from ratespread import api

app_name = "ratespread"
urlpatterns = [
    re_path(r"^rateSpread/?$", api.RateSpreadView.as_view(), name="single"),
    re_path(r"^rateSpread/csv/?$", api.RateSpreadListView.as_view(), name="list"),
    path("rateSpread/apor/<kind>.csv", api.AporTableView.as_view(), name="apor"),
]
