"""Addresses of the pages of the data browser and of the files to download."""

from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

from databrowser import downloads_pages, pages

data = RedirectView.as_view(
    pattern_name="data-browser", query_string=True, http_method_names=["get", "head"]
)

urlpatterns = [
    path("", data, name="data"),
    path("browser/", pages.Browser.as_view(), name="data-browser"),
    path("browser/places/", pages.PlacesFound.as_view(), name="data-browser-places"),
    path("browser/<slug:picture>.svg", pages.Picture.as_view(), name="data-browser-picture"),
    path("downloads/", downloads_pages.Downloads.as_view(), name="data-downloads"),
]
