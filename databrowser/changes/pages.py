"""The page of changes and corrections."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.generic import View

from databrowser.changes import entries
from databrowser.changes.entries import PARAMETERS, ChangesQuery
from databrowser.changes.views import CHANGES
from databrowser.models import Change
from databrowser.publication.versions import live_versions
from filing.errors import BadInput
from filing.pages import tool_pages
from filing.pages.markdown import render_markdown
from filing.requests import describe_unknown_parameters, select_page


class ChangesPage(View):
    """The list of changes with its filters; of corrections, what was wrong and how long."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        # Boxes of the form come one by one, links have their values joined.
        asked = {name: ",".join(request.GET.getlist(name)) for name in PARAMETERS}
        asked = {name: text for name, text in asked.items() if text.strip()}
        wrong = ""
        try:
            query = ChangesQuery.of(asked)
            number = request.GET.get("page")
            page = select_page(number, query.find().count())
        except BadInput as refusal:
            query, wrong = ChangesQuery(), refusal.message
            page = select_page(None, query.find().count())
        changes = list(query.find()[page.rows])
        wrong_versions = [change.wrong_version for change in changes if change.wrong_version]
        times = entries.find_public_times(wrong_versions)
        public = live_versions.public_versions(*(version.year for version in wrong_versions))
        context = {
            "query": query,
            "asked": asked,
            "wrong": wrong,
            "types": Change.Type.choices,
            "products": Change.Product.choices,
            "changes": [
                {
                    "change": change,
                    "html": render_markdown(change.description),
                    "is_compared": {change.wrong_version, change.right_version} <= {*public},
                    "times": times.get(change.wrong_version_id or 0, []),
                }
                for change in changes
            ],
            "page": page,
            "filters": urlencode(asked),
            "address": CHANGES,
            "calls": tool_pages.build_get_examples(CHANGES),
            "unknown_parameters": describe_unknown_parameters(request.GET, [*PARAMETERS, "page"]),
        }
        return render(request, "databrowser/changes_list.html", context)
