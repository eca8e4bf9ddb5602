"""The page of the files to download: whole years, one institution, what changed, the columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.generic import View

from databrowser.models import LiveVersion, ModifiedLar, Publication
from databrowser.modified.files import SEPARATORS
from databrowser.publication.records import dictionary
from databrowser.publications.views import files
from filing.pages import same_call

FEED = "/v2/public/publications"
_CHANGES, _FOUND = 10, 20
_SHORTEST = 2  # characters that are searched for


class Downloads(View):
    """The files of every year that is public, and where all else is."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        live = list(LiveVersion.objects.select_related("version").order_by("-year"))
        find = " ".join(request.GET.get("find", "").split())
        shown: dict[str, Any] = {
            "years": [
                (each, files(each.version), [each.year] if each.version.is_demo else [])
                for each in live
            ],
            "find": find,
            "found": list(_modified(find)) if len(find) >= _SHORTEST else [],
            "forms": list(SEPARATORS),
            "changes": Publication.objects.select_related("version").defer("version__manifest")[
                :_CHANGES
            ],
            "feed": FEED,
            "columns": dictionary.entries(),
        }
        if live:
            path = f"{FEED}/{live[0].year}/loans.parquet"
            shown["calls"] = same_call.file(path, saved=f"loans-{live[0].year}.parquet")
        return render(request, "databrowser/downloads.html", shown)


def _modified(words: str) -> Iterable[ModifiedLar]:
    """Return the modified LARs of institutions, the newest of each year, years descending."""
    institution = "submission__filing__institution__"
    made = (
        ModifiedLar.objects.made()
        .annual()
        .filter(
            Q(**{f"{institution}name__icontains": words})
            | Q(**{f"{institution}lei__istartswith": words})
        )
        .select_related("submission__filing__institution", "submission__filing__period")
        .order_by(
            f"{institution}name",
            f"{institution}lei",
            "-submission__filing__period__year",
            "-submission__signature__signed_at",
        )[: 2 * _FOUND]
    )
    newest: dict[int, ModifiedLar] = {}
    for each in made:
        newest.setdefault(each.submission.filing_id, each)
    return list(newest.values())[:_FOUND]
