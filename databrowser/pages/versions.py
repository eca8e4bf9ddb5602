"""The page of a version: its files, what became of it, and how it is cited."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.generic import View

from databrowser.models import Change
from databrowser.pages.citations import Citation
from databrowser.publication.versions import live_versions
from databrowser.publication_feed import data_sets, permanent_versions, views
from filing.day_hours import today
from filing.errors import Refusal
from filing.lar.years import describe_unsettled
from filing.requests import describe_unknown_parameters


class VersionPage(View):
    """A version that was published once, at an address that stays."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, address: str) -> HttpResponse:
        context: dict[str, Any] = {
            "unknown_parameters": describe_unknown_parameters(request.GET, [])
        }
        try:
            outcome = permanent_versions.require_version(address)
        except Refusal as refusal:
            context["refusal"] = refusal
            return render(request, "databrowser/version.html", context, status=refusal.status)
        version = outcome.version
        page = f"{settings.PUBLIC_URL}{reverse('data-version', args=[address])}"
        public = live_versions.public_versions(version.year)
        context |= {
            "version": version,
            "outcome": outcome,
            "is_compared": outcome.replaced is not None and outcome.replaced.version in public,
            "corrections": Change.objects.filter(wrong_version=version),
            "files": data_sets.list_files(version, version.permanent_address),
            "states": views.list_state_files(version, version.permanent_address),
            "demo_years": [version.year] if version.is_demo else [],
            "notices": describe_unsettled([version.year]),
            "citation": Citation(
                version.dataset_name,
                [version],
                page,
                accessed=today(),
            ),
        }
        return render(request, "databrowser/version.html", context)
