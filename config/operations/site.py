"""The admin site of this service: Django's, with pages about the whole filing season."""

from __future__ import annotations

from functools import wraps
from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.views.main import ERROR_FLAG
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path
from django.utils import timezone
from django.views.decorators.common import no_append_slash

from config.requests.refusals import REDIRECTED_METHODS
from filing import day_hours
from filing.people import accounts, sign_ins

_LARGEST = {"year": 9998, "month": 12, "day": 31}


class OperationsSite(admin.AdminSite):
    """The site at which all tables register: `admin.site`, since it is the `default_site`."""

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the context of every admin page, with the time zone of its times."""
        return {**super().each_context(request), "time_zone": day_hours.name_filing_zone()}

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Show what waits for the user, then links to the most common tasks and all tables."""
        # Imported here for the reason given in `get_urls`.
        from config import admin_links
        from config.operations import findings

        work = admin_links.list_work(request.user)
        context: dict[str, Any] = {
            "title": "Work list",
            "work": [row for row in work if row.backlog.number],
            "done": [row for row in work if not row.backlog.number],
            "links": list(admin_links.links_of(request.user)),
            "now": timezone.now(),
        }
        if request.user.has_perm(findings.MAY_READ):
            context["findings"] = findings.see_now()
        return super().index(request, context | (extra_context or {}))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the tables by app, each with the user's action on it as its `deed`."""
        from config import admin_links

        apps = super().get_app_list(request, app_label)
        for app in apps:
            for model in app["models"]:
                label, add = model["model"]._meta.label, model["add_url"]
                model["deed"] = admin_links.table_action(label, add, request.user)
        return apps

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Change the user's own password; only the session in which they do goes on."""
        user = cast(User, request.user)
        with transaction.atomic(), accounts.attribute_passwords(user):
            response = super().password_change(request, extra_context)
        if request.method == "POST":
            sign_ins.begin_sign_in(request.session, user)
        return response

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Return the view for staff only; an impossible date leads to the unfiltered list."""

        @wraps(view)
        def checked_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if _has_impossible_date(request.GET):
                return HttpResponseRedirect(f"{request.path}?{ERROR_FLAG}=1")
            response: HttpResponse = view(request, *args, **kwargs)
            return response

        return super().admin_view(checked_view, cacheable)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return the addresses, ours first: the last one of the site matches everything."""
        # Imported here: these modules register tables, for which the site must exist.
        from config.guides import operators
        from config.operations import findings, freshness
        from config.upkeep import pages as upkeep
        from filing.admin import dashboard, season_catalogue, subscriptions

        pages: list[tuple[str, Any, str]] = [
            ("season/", dashboard.show_season, "season"),
            ("season/figures/", dashboard.show_season_figures, "season_figures"),
            ("season/charts/<slug:chart>.svg", dashboard.show_season_chart, "season_chart"),
            ("season/not-filed/", dashboard.list_not_filed, "season_not_filed"),
            ("season/not-filed.csv", dashboard.export_not_filed, "season_not_filed_csv"),
            ("subscriptions/", subscriptions.choose_subscriptions, "subscriptions"),
            ("season/catalogue/", season_catalogue.list_catalogue, "season_catalogue"),
            ("season/catalogue/<slug:figure>/", season_catalogue.show_figure, "season_figure"),
            (
                "season/catalogue/<slug:figure>.<str:form>",
                season_catalogue.export_figure,
                "season_figure_file",
            ),
            ("freshness/", freshness.show_freshness, "freshness"),
            ("findings/", findings.show_findings, "findings"),
            ("findings.json", findings.send_findings, "findings_json"),
            *upkeep.PAGES,
            *operators.PAGES,
        ]
        own = [
            # A chart says how long it may be cached.
            path(
                route,
                self.admin_view(page, cacheable=page is dashboard.show_season_chart),
                name=name,
            )
            for route, page, name in pages
        ]
        return [*own, *super().get_urls()]

    @no_append_slash
    def catch_all_view(self, request: HttpRequest, url: str) -> HttpResponse:
        """Redirect an unknown address to the page with a slash added, if there is one.

        Raises: Http404, also for a form sent to an address without its slash.
        """
        if request.method not in REDIRECTED_METHODS:
            raise Http404
        return super().catch_all_view(request, url)


def _has_impossible_date(query: QueryDict) -> bool:
    """Return whether a list is filtered by a date part that the library cannot handle.

    The library computes the first day after a year, which the calendar lacks after 9998.
    """
    for name in query:
        part = name.rpartition("__")[2]
        for text in query.getlist(name) if part in _LARGEST else ():
            if text.isdecimal() and not int(text[:20]) <= _LARGEST[part]:
                return True
    return False
