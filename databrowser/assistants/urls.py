"""Addresses for assistants and other programs that look for what a site has."""

from __future__ import annotations

from django.urls import path

from databrowser.assistants import views

urlpatterns = [
    path("v2/public/mcp", views.AssistantView.as_view(), name="assistants"),
    path(".well-known/api-catalog", views.ApiCatalogue.as_view(), name="api-catalogue"),
    path("llms.txt", views.LlmsText.as_view(), name="llms"),
]
