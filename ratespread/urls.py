"""Addresses of the rate spread API, which has no version prefix."""

from __future__ import annotations

from django.urls import path, re_path

from ratespread import views

app_name = "ratespread"
urlpatterns = [
    re_path(r"^rateSpread/?$", views.RateSpread.as_view(), name="single"),
    re_path(r"^rateSpread/csv/?$", views.RateSpreadList.as_view(), name="list"),
    path("rateSpread/apor/<kind>.csv", views.AporTable.as_view(), name="apor"),
]
