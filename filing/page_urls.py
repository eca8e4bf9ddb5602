"""Addresses of the filer's pages."""

from __future__ import annotations

from django.urls import path

from filing import pages

urlpatterns = [
    path("profile", pages.Profile.as_view(), name="profile"),
    path("profile/name", pages.Name.as_view(), name="profile-name"),
    path("profile/institutions", pages.Institutions.as_view(), name="profile-institutions"),
    path("profile/tokens", pages.PersonalTokens.as_view(), name="profile-tokens"),
    path(
        "profile/tokens/<int:token_id>/revoke",
        pages.PersonalTokenRevoked.as_view(),
        name="profile-token-revoke",
    ),
]
