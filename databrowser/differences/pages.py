"""The page of what changed between two versions of a year."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.generic import View

from databrowser.differences import comparison_jobs
from databrowser.differences.views import RULES
from databrowser.models import Version
from filing.errors import Refusal
from filing.pages import tool_pages
from filing.requests import describe_unknown_parameters, select_page

_PARAMETERS = ("from", "to")


class DifferencesPage(View):
    """Two versions of a year side by side, chosen in a form, with the institutions that differ."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, year: str) -> HttpResponse:
        unknown = describe_unknown_parameters(request.GET, [*_PARAMETERS, "page"])
        context: dict[str, Any] = {"year": year, "rules": RULES, "unknown_parameters": unknown}
        status, seconds = HTTPStatus.OK, 0
        try:
            context["versions"] = comparison_jobs.find_versions(year)
            context |= _choose_versions(request, context["versions"])
            differences = comparison_jobs.find_differences(context["before"], context["after"])
            if differences:
                page = select_page(request.GET.get("page"), differences.institutions.height)
                listed = differences.list_institutions(page.rows)
                context |= {"differences": differences, "page": page, "institutions": listed}
            else:
                status = HTTPStatus.ACCEPTED
        except Refusal as refusal:
            context["refusal"] = refusal
            status, seconds = HTTPStatus(refusal.status), refusal.seconds
        response = render(request, "databrowser/differences.html", context, status=status)
        if seconds:
            response["Retry-After"] = str(seconds)
        return response


def _choose_versions(request: HttpRequest, versions: list[Version]) -> dict[str, Any]:
    names = [request.GET.get(name, "") for name in _PARAMETERS]
    before, after = comparison_jobs.choose_versions(versions, *names)
    query = urlencode({"from": before.name, "to": after.name})
    json, csv = (
        f"{reverse(f'differences:{form}', args=[before.year])}?{query}" for form in ("json", "csv")
    )
    return {
        "before": before,
        "after": after,
        "json": json,
        "csv": csv,
        "calls": tool_pages.build_get_examples(json),
    }
