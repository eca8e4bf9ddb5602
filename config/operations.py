"""The admin site of this service: Django's own, with pages of its own about the whole season."""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ERROR_FLAG
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path
from django.views.decorators.common import no_append_slash

from config.slashes import READING
from filing import day_hours

_LARGEST = {"year": 9998, "month": 12, "day": 31}


class OperationsSite(admin.AdminSite):
    """Named as `default_site`, so that it is `admin.site` for everybody who registers a table."""

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return what every page of the admin shows: also the zone of its times."""
        return {**super().each_context(request), "time_zone": day_hours.zone_name()}

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Show what staff come for, then all tables."""
        # Not above, as in `get_urls`.
        from config import doors

        shown = {"doors": list(doors.doors_of(request.user))}
        return super().index(request, shown | (extra_context or {}))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the tables by app, each with what the user does with it as its `deed`."""
        from config import doors

        apps = super().get_app_list(request, app_label)
        for app in apps:
            for model in app["models"]:
                label, add = model["model"]._meta.label, model["add_url"]
                model["deed"] = doors.deed_of(label, add, request.user)
        return apps

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Return the view for staff alone; a date that no calendar has leads to the whole list."""

        @wraps(view)
        def dated(request: HttpRequest, *args: Any, **where: Any) -> HttpResponse:
            if _has_impossible_date(request.GET):
                return HttpResponseRedirect(f"{request.path}?{ERROR_FLAG}=1")
            response: HttpResponse = view(request, *args, **where)
            return response

        return super().admin_view(dated, cacheable)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return the addresses, ours first: the site's last one takes all that are left."""
        # Not above: the first import of these pages registers tables, at a site that is there.
        from config import guide
        from filing.admin import dashboard

        pages: list[tuple[str, Any, str]] = [
            ("season/", dashboard.season, "season"),
            ("season/figures/", dashboard.figures, "season_figures"),
            ("season/charts/<slug:chart>.svg", dashboard.chart, "season_chart"),
            ("season/not-filed/", dashboard.not_filed, "season_not_filed"),
            ("season/not-filed.csv", dashboard.not_filed_csv, "season_not_filed_csv"),
            *guide.PAGES,
        ]
        ours = [
            # A chart says itself how long it is good for.
            path(where, self.admin_view(page, cacheable=page is dashboard.chart), name=name)
            for where, page, name in pages
        ]
        return [*ours, *super().get_urls()]

    @no_append_slash
    def catch_all_view(self, request: HttpRequest, url: str) -> HttpResponse:
        """Answer an address that no page has; with a slash added one may have it.

        Raises: Http404, also for a form that was sent to an address without its slash.
        """
        if request.method not in READING:
            raise Http404
        return super().catch_all_view(request, url)


def _has_impossible_date(query: QueryDict) -> bool:
    """Tell whether a list is asked for by a part of a date that the library cannot compute with.

    It looks for the first day after a year, too, so that there is none after 9998.
    """
    for name in query:
        part = name.rpartition("__")[2]
        for text in query.getlist(name) if part in _LARGEST else ():
            if text.isdecimal() and not int(text[:20]) <= _LARGEST[part]:
                return True
    return False
