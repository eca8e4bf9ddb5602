"""Addresses of the filer's pages."""

from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

from filing import pages

profile = RedirectView.as_view(pattern_name="profile", http_method_names=["get", "head"])

urlpatterns = [
    path("", profile, name="filing-pages"),
    path("profile/", pages.Profile.as_view(), name="profile"),
    path("profile/name/", pages.Name.as_view(), name="profile-name"),
    path("profile/institutions/", pages.Institutions.as_view(), name="profile-institutions"),
    path("profile/tokens/", pages.PersonalTokens.as_view(), name="profile-tokens"),
    path(
        "profile/tokens/<int:token_id>/revoke/",
        pages.PersonalTokenRevoked.as_view(),
        name="profile-token-revoke",
    ),
]
