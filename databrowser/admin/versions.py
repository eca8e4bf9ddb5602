"""Versions of data sets: what is live, building, going live, back, and away."""

from __future__ import annotations

import json
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from databrowser.models import Version
from databrowser.publication import overview, versions
from filing import access
from filing.admin.actions import Action, WithActions
from filing.admin.notes import WithNotes
from filing.admin.own_pages import OwnPages, WithOwnPages
from filing.admin.readonly import ReadOnlyAdmin
from filing.errors import Refusal
from filing.lar.period import FIRST_YEAR, LAST_YEAR

MAY_PUBLISH = "databrowser.add_version"
HINT = "It stands in the public feed of changes. Who you are is kept, and not public."
_PAGES = "admin/databrowser/version"


def _live(version: Version) -> str:
    """Return what differs once another version of the year is live."""
    live = versions.live_of(version.year)
    return f"{live.version_id} {live.since.isoformat()}" if live else ""


GO_LIVE = Action(
    name="go_live",
    label="Let go live",
    does="Readers get this version of its year from now on. An earlier version than the one that "
    "is live is rolled back to.",
    permission=MAY_PUBLISH,
    plan=versions.plan_go_live,
    run=versions.go_live,
    version=_live,
    hint=HINT,
)
WITHDRAW = Action(
    name="withdraw",
    label="Withdraw",
    does="Takes the year from the public, until a version of it goes live again.",
    permission=MAY_PUBLISH,
    plan=versions.plan_withdraw,
    run=versions.withdraw,
    version=_live,
    hint=HINT,
)


class BuildForm(forms.Form):
    """Which year is built, whether it goes live, and why."""

    year = forms.TypedChoiceField(label="Data year", coerce=int)
    goes_live = forms.BooleanField(
        label="Let it go live as soon as it is built",
        required=False,
        initial=True,
        help_text="Otherwise it is kept, and goes live when somebody says so.",
    )
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2, "cols": 60}),
        error_messages={"required": "Say why: one sentence for the history will do."},
        help_text=HINT,
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        years = [(year, str(year)) for year in range(LAST_YEAR, FIRST_YEAR - 1, -1)]
        self.fields["year"].choices = years  # type: ignore[attr-defined]


class LiveFilter(admin.SimpleListFilter):
    """What readers get now, or what they do not."""

    title = "live"
    parameter_name = "is_live"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "live"), ("no", "not live")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = {"yes": False, "no": True}.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(live__isnull=wanted)


@admin.register(Version)
class VersionAdmin(WithOwnPages, WithActions, WithNotes, ReadOnlyAdmin):
    """Each data set that was asked for, and what became of it; above the list, each year."""

    staff_actions = (GO_LIVE, WITHDRAW)
    related = ["job", "live"]
    list_display = [
        *("name", "standing", "is_live", "rows", "institutions"),
        *("made_at", "by", "reason", "is_demo"),
    ]
    list_filter = ["year", "state", LiveFilter]
    date_hierarchy = "at"
    search_fields = ["=year", "=actor_username", "reason", "^sha256"]
    search_help_text = "A year, a whole user name, a part of the reason, the beginning of a hash."
    fields = [
        *("name", "standing", "is_live", "goes_live", "rows", "institutions", "made_at"),
        *("at", "by", "reason", "sha256", "contents"),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).order_by("-year", "-number")

    @admin.display(description="version", ordering="number")
    def name(self, version: Version) -> str:
        return version.name

    @admin.display(ordering="state")
    def standing(self, version: Version) -> str:
        return version.standing

    @admin.display(boolean=True, description="live")
    def is_live(self, version: Version) -> bool:
        return hasattr(version, "live")

    @admin.display(description="asked for by", ordering="actor_username")
    def by(self, version: Version) -> str:
        return version.actor_username or access.THE_SERVICE

    @admin.display(description="manifest")
    def contents(self, version: Version) -> SafeString | str:
        if not version.manifest:
            return ""
        return format_html(
            '<pre class="manifest" tabindex="0">{}</pre>', json.dumps(version.manifest, indent=1)
        )

    def own_pages(self) -> OwnPages:
        """Return the form of a build, and the part of the page that shows its progress."""
        return (
            ("build/", self.build, "build"),
            ("<int:key>/progress/", self.progress, "progress"),
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        shown = {
            "title": "Publication",
            "years": overview.years(),
            "may_publish": request.user.has_perm(MAY_PUBLISH),
        }
        return super().changelist_view(request, shown | (extra_context or {}))

    def beside(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        found = self.get_object(request, object_id)
        return _progress(found) if found else {}

    def build(self, request: HttpRequest) -> HttpResponse:
        """Show what a build of a year would be made of; sent, ask for it."""
        if not request.user.has_perm(MAY_PUBLISH):
            raise PermissionDenied(MAY_PUBLISH)
        if request.method != "POST":
            return self._form(request, BuildForm(initial=_asked(request)))
        form = BuildForm(request.POST)
        if not form.is_valid():
            return self._form(request, form)
        told, by = form.cleaned_data, access.caller_of(cast(User, request.user))
        try:
            version = versions.ask(
                told["year"], by=by, reason=told["reason"], goes_live=told["goes_live"]
            )
        except Refusal as refusal:
            form.add_error("year", refusal.message)
            return self._form(request, form)
        return redirect("admin:databrowser_version_change", version.pk)

    def progress(self, request: HttpRequest, key: int) -> HttpResponse:
        """Show how far a build is; asked for again and again by the page."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        version = get_object_or_404(self.get_queryset(request), pk=key)
        return TemplateResponse(
            request, f"{_PAGES}/progress.html", {"original": version} | _progress(version)
        )

    def _form(self, request: HttpRequest, form: BuildForm) -> HttpResponse:
        shown: dict[str, Any] = {"opts": self.opts, "title": "Build a data set", "form": form}
        if not form.is_bound and (year := form.initial.get("year")):
            shown["plan"] = _plan(year)
        around = self.admin_site.each_context(request)
        return TemplateResponse(request, f"{_PAGES}/build.html", {**around, **shown})


def _plan(year: int) -> str:
    """Return what a year would be built of, or why it cannot be built."""
    try:
        return versions.plan_build(year)
    except Refusal as refusal:
        return refusal.message


def _asked(request: HttpRequest) -> dict[str, Any]:
    """Return what the form begins with: the year of the address."""
    year = request.GET.get("year", "")
    is_year = year.isdecimal() and len(year) == 4
    return {"goes_live": True} | ({"year": int(year)} if is_year else {})


def _progress(version: Version) -> dict[str, Any]:
    job = version.job
    return {
        "job": job,
        "is_waiting": version.state == "asked" and job.state in {"queued", "running"},
        "address": reverse("admin:databrowser_version_progress", args=[version.pk]),
    }
