"""The page of files to download: years with their versions, modified LARs, the columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.generic import View

from databrowser.models import ModifiedLar
from databrowser.modified_lars.views import SEPARATORS
from databrowser.publication.records import dictionary
from databrowser.publication.versions import live_versions
from databrowser.publication_feed.views import FEED, list_public_files
from filing.lar.years import describe_unsettled
from filing.pages import tool_pages
from filing.requests import describe_unknown_parameters

_MOST_FOUND = 20
_SHORTEST = 2  # characters that are searched for


class Downloads(View):
    """The page with the files of every published year, and everything else to download."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        published = list(live_versions.published_versions().order_by("-year"))
        versions = live_versions.list_public_outcomes(*(live.year for live in published))
        numbers = {live.year: live.version.number for live in published}
        find = " ".join(request.GET.get("find", "").split())
        context: dict[str, Any] = {
            "years": [
                (
                    live,
                    list_public_files(live.version),
                    [outcome for outcome in versions if outcome.version.year == live.year],
                    [live.year] if live.version.is_demo else [],
                    describe_unsettled([live.year]),
                )
                for live in published
            ],
            "compared_years": {
                each.version.year
                for each in versions
                if each.version.number < numbers[each.version.year]
            },
            "find": find,
            "modified_lars": list(_modified_lars(find)) if len(find) >= _SHORTEST else [],
            "forms": list(SEPARATORS),
            "feed": FEED,
            "columns": dictionary.dictionary_entries(),
            "unknown_parameters": describe_unknown_parameters(request.GET, ["find"]),
        }
        if published:
            newest = published[0].year
            context["calls"] = tool_pages.build_download_examples(
                f"{FEED}/{newest}/loans.parquet", saved=f"loans-{newest}.parquet"
            )
        return render(request, "databrowser/downloads.html", context)


def _modified_lars(words: str) -> Iterable[ModifiedLar]:
    """Return the modified LARs in use of matching institutions, each by year descending."""
    institution = "submission__filing__institution__"
    lars = ModifiedLar.objects.annual().public()
    return (
        lars.filter(
            Q(**{f"{institution}name__icontains": words})
            | Q(**{f"{institution}lei__istartswith": words})
        )
        .select_related("submission__filing__institution", "submission__filing__period")
        .order_by(f"{institution}name", f"{institution}lei", "-submission__filing__period__year")[
            :_MOST_FOUND
        ]
    )
