"""Addresses of the check digit API."""

from __future__ import annotations

from django.urls import re_path

from uliapi import views

app_name = "uliapi"
urlpatterns = [
    re_path(r"^checkDigit/?$", views.Generate.as_view(), name="generate"),
    re_path(r"^checkDigit/csv/?$", views.GenerateList.as_view(), name="generate-list"),
    re_path(r"^validate/?$", views.Validate.as_view(), name="validate"),
    re_path(r"^validate/csv/?$", views.ValidateList.as_view(), name="validate-list"),
]
