"""The page of modified LARs by the day on which each became available."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.generic import View

from databrowser.modified_lars.listing import ADDRESS, PARAMETERS, ListQuery
from databrowser.modified_lars.views import SEPARATORS
from filing.errors import BadInput
from filing.lar.years import YearStage, supported_years
from filing.pages import tool_pages
from filing.requests import describe_unknown_parameters, select_page


class ModifiedLars(View):
    """The list of modified LARs with its filters, newest day first."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        asked = {name: text for name in PARAMETERS if (text := request.GET.get(name, "").strip())}
        wrong = ""
        try:
            query = ListQuery.of(asked)
            page = select_page(request.GET.get("page"), query.find().count())
        except BadInput as refusal:
            query, wrong = ListQuery(), refusal.message
            page = select_page(None, query.find().count())
        context = {
            "query": query,
            "asked": asked,
            "wrong": wrong,
            "years": sorted(supported_years(YearStage.FILING), reverse=True),
            "lars": query.find()[page.rows],
            "page": page,
            "forms": list(SEPARATORS),
            "calls": tool_pages.build_get_examples(ADDRESS),
            "unknown_parameters": describe_unknown_parameters(request.GET, [*PARAMETERS, "page"]),
        }
        return render(request, "databrowser/modified_lars.html", context)
