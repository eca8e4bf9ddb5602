"""Data set versions: the list, and building, publishing, rolling back and withdrawing them.

With the form on which staff request a build, and the publication history, as in the public feed but
with the user behind each entry.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.views.decorators.http import require_safe

from databrowser.models import Dataset, Publication, Version
from databrowser.publication.builds import build_requests, intake, reconciliation
from databrowser.publication.quantities import number_of
from databrowser.publication.versions import live_versions
from filing import access, registries
from filing.access import person_name
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.forms import ReasonField
from filing.admin.notes import WithNotes
from filing.admin.own_pages import OwnPages, render_own_page, show_again
from filing.admin.tables import Followed, ReadOnlyAdmin
from filing.errors import Refusal
from filing.previews import digest_preview
from filing.registries import AdminLink

MAY_PUBLISH = "databrowser.add_version"
HINT = "Listed in the public feed of changes. Your name is recorded but not published."
_PAGES = "admin/databrowser/version"
registries.register_admin_links(
    AdminLink(
        "Publish a data set",
        "admin:databrowser_version_build",
        (MAY_PUBLISH,),
        "Build and publish the public data set of a year.",
        place=140,
        verb="Publish",
        table="databrowser.Version",
    ),
    AdminLink(
        "Publications due or failed",
        "admin:databrowser_version_changelist",
        (MAY_PUBLISH,),
        "Versions that wait to be published, vintages past their freeze day, and failed builds.",
        place=50,
        backlog=intake.count_due_publications,
        waits_for="operators",
    ),
    AdminLink(
        "Data set versions",
        "admin:databrowser_version_changelist",
        ("databrowser.view_version",),
        "The published version of each year, since when and by whom.",
        place=220,
    ),
)


def _live(version: Version) -> str:
    """Return a text that changes when another version of the data set is published."""
    live = live_versions.live_version(version.year, version.dataset)
    return f"{live.version_id} {live.since.isoformat()}" if live else ""


def _action(
    name: str, label: str, act: str, does: str, plan: Callable[[Version], str], run: Any
) -> AdminAction:
    """Return an action on a version; its reason goes into the public feed of changes."""
    return AdminAction(
        name,
        label,
        does,
        MAY_PUBLISH,
        plan,
        run,
        act=act,
        version=_live,
        lock=live_versions.lock_version,
        hint=HINT,
    )


PUBLISH = _action(
    "go_live",
    "Publish",
    "Publish {}",
    "Makes this version the published one of its data set.",
    live_versions.plan_publish,
    live_versions.publish_version,
)
ROLL_BACK = _action(
    "roll_back",
    "Roll back",
    "Publish {} again",
    "Publishes this version again, in place of the later one.",
    live_versions.plan_roll_back,
    live_versions.publish_version,
)
WITHDRAW = _action(
    "withdraw",
    "Withdraw",
    "Withdraw {}",
    "Makes the data set unavailable to the public until a version is published again.",
    live_versions.plan_withdraw,
    live_versions.withdraw_version,
)
ACCEPT = AdminAction(
    "accept_disagreements",
    "Accept what does not add up",
    "Lets this vintage be published although figures disagree.",
    MAY_PUBLISH,
    reconciliation.plan_acceptance,
    reconciliation.accept_disagreements,
    act="Accept what does not add up in {}",
    hint="Why it is right to publish it all the same. All staff can read it.",
)


class DataSetForm(forms.Form):
    """What to build: a year that can have something to publish, and which of its data sets."""

    year = forms.TypedChoiceField(label="Data year", coerce=int)
    dataset = forms.ChoiceField(
        label="Data set",
        choices=[(value, label.capitalize()) for value, label in Dataset.choices],
        initial=Dataset.DYNAMIC,
        required=False,
        help_text="The data set moves with each submission that is signed. The others are frozen "
        "at the end of a day.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        years = [(year, str(year)) for year in intake.open_years()]
        self.fields["year"].choices = [("", "Choose a year"), *years]  # type: ignore[attr-defined]

    def clean_dataset(self) -> str:
        return self.cleaned_data["dataset"] or Dataset.DYNAMIC


class BuildForm(DataSetForm):
    """The same, whether to publish it when built, and the reason."""

    goes_live = forms.BooleanField(
        label="Publish it as soon as it is built",
        required=False,
        help_text="If not, publish it later from its page.",
    )
    reason = ReasonField(missing="Enter a reason; one sentence is enough.", help_text=HINT)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, auto_id="id_build_%s", **options)
        for name in ("year", "dataset"):  # chosen before, in a form with the same fields
            self.fields[name].widget = forms.HiddenInput()
        if str(self["dataset"].value() or Dataset.DYNAMIC) != Dataset.DYNAMIC:
            del self.fields["goes_live"]


class LiveFilter(admin.SimpleListFilter):
    """Filters the list by whether a version is published."""

    title = "published"
    parameter_name = "is_live"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "published"), ("no", "not published")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        is_hidden = {"yes": False, "no": True}.get(self.value() or "")
        return queryset if is_hidden is None else queryset.filter(live__isnull=is_hidden)


@admin.register(Version)
class VersionAdmin(WithPossibleActions, WithNotes, Followed):
    """The versions of all data sets with their states; above the list, one line for each year."""

    how_rows_come = "Build a data set, and its version is listed here."
    staff_actions = (ACCEPT, PUBLISH, ROLL_BACK, WITHDRAW)
    related = ["job", "live"]
    list_display = [
        *("name", "dataset", "standing", "published", "records", "of_institutions"),
        *("made_at", "by", "reason", "is_demo"),
    ]
    list_filter = ["year", "dataset", "state", LiveFilter]
    date_hierarchy = "at"
    search_fields = ["=year", "=actor_username", "reason", "^sha256"]
    search_help_text = (
        "Search by year, complete user name, part of a reason, or the beginning of a SHA-256."
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).order_by("-year", "-number")

    def get_fields(self, request: HttpRequest, obj: Version | None = None) -> list[Any]:
        """Return the fields of a version, those of its content only once it is built."""
        freeze_day = ["frozen_on"] if obj and obj.is_vintage else []
        begin = ["name", "dataset", *freeze_day, "standing", "published"]
        end = ["at", "by", "reason", "job"]
        if not (obj and obj.manifest):
            coming = ["publishes"] if obj and obj.state == Version.State.ASKED else []
            return [*begin, *coming, *end]
        left_out = ["left_out"] if obj.manifest["sources"]["missing"] else []
        content = ["records", "of_institutions", "made_of", *left_out, "made_at"]
        held_back = ["held_back"] if self.held_back(obj) else []
        return [*begin, *held_back, *content, *end, "sha256", "contents"]

    @admin.display(description="version", ordering="number")
    def name(self, version: Version) -> str:
        return version.name

    @admin.display(description="state", ordering="state")
    def standing(self, version: Version) -> str:
        return version.standing

    @admin.display
    def published(self, version: Version) -> str:
        if not hasattr(version, "live"):
            return "no"
        return f"since {date_format(localtime(version.live.since), 'Y-m-d H:i T')}"

    @admin.display(description="once built")
    def publishes(self, version: Version) -> str:
        if decision := live_versions.decision_against(version):
            return f"not published: {live_versions.describe_decision(decision)}"
        return "published automatically" if version.goes_live else "not published until you do"

    @admin.display(description="why not published")
    def held_back(self, version: Version) -> str:
        """Return the decision of staff because of which a version was not published; or blank."""
        decision = live_versions.decision_against(version)
        if decision is None or not version.goes_live or hasattr(version, "live"):
            return ""
        if version.made_at is None or version.made_at < decision.at:
            return ""
        return f"Built, not published: {live_versions.describe_decision(decision)}"

    @admin.display(ordering="rows")
    def records(self, version: Version) -> str:
        return f"{version.rows:,}" if version.made_at else ""

    @admin.display(description="institutions", ordering="institutions")
    def of_institutions(self, version: Version) -> str:
        return f"{version.institutions:,}" if version.made_at else ""

    @admin.display
    def made_of(self, version: Version) -> str:
        sources = version.manifest["sources"]
        return intake.describe_contents(sources["signed"]["institutions"], len(sources["imports"]))

    @admin.display
    def left_out(self, version: Version) -> str:
        missing = version.manifest["sources"]["missing"]
        signed = number_of(len(missing), "signed submission")
        return f"{signed} not prepared for publication, of {', '.join(missing)}"

    @admin.display(description="requested by", ordering="actor_username")
    def by(self, version: Version) -> str:
        return person_name(version)

    @admin.display(description="manifest")
    def contents(self, version: Version) -> SafeString:
        return format_html(
            "<details><summary>Show the manifest</summary>"
            '<pre class="manifest" tabindex="0">{}</pre></details>',
            json.dumps(version.manifest, indent=1),
        )

    def own_pages(self) -> OwnPages:
        """Return the pages for requesting a build and for following its progress."""
        return (
            ("build/", self.build, "build"),
            ("<int:key>/progress/", require_safe(self.progress), "progress"),
            *super().own_pages(),
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {
            "title": "Publication",
            "years": intake.list_publication_years(),
            "vintages": intake.list_publication_vintages(),
            "may_publish": request.user.has_perm(MAY_PUBLISH),
        }
        return super().changelist_view(request, context | (extra_context or {}))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        if version := context.get("original"):
            context |= {
                "job": version.job,
                "may_publish": request.user.has_perm(MAY_PUBLISH),
                "reconciliation": reconciliation.read_reconciliation(version),
            }
        return super().render_change_form(request, context, *args, **options)

    def outcome(self, thing: Version) -> str:
        return f"Version {thing.name}: {thing.standing}."

    def followed_at(self, request: HttpRequest, thing: Version) -> str:
        return reverse("admin:databrowser_version_progress", args=[thing.pk])

    def build(self, request: HttpRequest) -> HttpResponse:
        """Show what a build would take in, then its form; request it when that is submitted."""
        if not request.user.has_perm(MAY_PUBLISH):
            raise PermissionDenied(MAY_PUBLISH)
        is_request = request.method == "POST"
        if not is_request and "year" not in request.GET:
            return self._show_build(request, DataSetForm())
        chosen = DataSetForm(request.POST if is_request else request.GET)
        if not chosen.is_valid():
            return self._show_build(request, chosen)
        wanted = chosen.cleaned_data
        form = BuildForm(request.POST) if is_request else BuildForm(initial=wanted)
        try:
            if form.is_valid():
                with show_again(request):
                    by = access.caller_of(cast(User, request.user))
                    digest = request.POST.get("digest", "")
                    version = build_requests.request_build(
                        **form.cleaned_data, by=by, digest=digest
                    )
                    return redirect("admin:databrowser_version_change", version.pk)
            plan = build_requests.plan_build(**wanted)
        except Refusal as refusal:
            chosen.add_error("year", refusal.message)
            return self._show_build(request, chosen)
        live = live_versions.live_version(**wanted)
        facts = build_requests.list_build_facts(plan=plan, **wanted)
        preview = {"plan": plan, "live": live, "digest": digest_preview(*facts)}
        return self._show_build(request, chosen, form=form, **preview)

    def progress(self, request: HttpRequest, key: int) -> HttpResponse:
        """Show the page of a version, which requests this address again while it is being built.

        The whole page is rendered at once, so that all its parts show the same state.
        """
        return self.change_view(request, str(key))

    def _show_build(
        self, request: HttpRequest, chosen: DataSetForm, **preview: Any
    ) -> HttpResponse:
        context = {"choice": chosen, "act": "Build the data set", **preview}
        return render_own_page(self, request, f"{_PAGES}/build.html", "Build a data set", context)


@admin.register(Publication)
class PublicationAdmin(ReadOnlyAdmin):
    """The versions that were published, rolled back or withdrawn. Read-only."""

    how_rows_come = "Publish a version, and it is listed here."
    related = ["version"]
    list_display = ["at", "year", "version", "what", "by", "reason"]
    list_filter = ["year", "what"]
    date_hierarchy = "at"
    search_fields = ["=actor_username", "=actor_email", "reason"]
    search_help_text = "Search by complete user name or email address, or part of the reason."

    @admin.display(ordering="actor_username")
    def by(self, publication: Publication) -> str:
        return person_name(publication)
