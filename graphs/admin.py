"""The graphs in the admin: their versions, which one is shown, and computing a new one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from filing import registries
from filing.access import person_name
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.forms import REASON_MAX_LENGTH, ReasonField, find_caller
from filing.admin.own_pages import render_own_page
from filing.admin.tables import AddedByForm, Followed, ReadOnlyAdmin
from filing.registries import AdminLink
from graphs import answers, computing
from graphs.models import Computation, FactsImport

MAY_COMPUTE = "graphs.add_computation"

registries.register_admin_links(
    AdminLink(
        "Compute the graphs",
        "admin:graphs_computation_add",
        (MAY_COMPUTE,),
        "Compute the quarterly graphs from the filings signed so far.",
        place=150,
        verb="Compute",
        table="graphs.Computation",
    ),
    AdminLink(
        "Graph versions",
        "admin:graphs_computation_changelist",
        ("graphs.view_computation",),
        "The versions of the graphs, and which one is shown.",
        place=230,
    ),
)


class ComputationReasonForm(forms.Form):
    """The reason for computing the graphs again."""

    reason = ReasonField(
        max_length=REASON_MAX_LENGTH,
        missing="Enter a reason; one sentence is enough.",
        help_text="Recorded with your name; all staff can read it.",
    )


@admin.register(Computation)
class ComputationAdmin(WithPossibleActions, AddedByForm, Followed):
    """Versions, newest first. Adding one computes it."""

    related = ["job", "shown"]
    list_display = [
        "version",
        "is_shown",
        "standing",
        "at",
        "by",
        "rows",
        "seconds",
        "is_demo",
        "reason",
    ]
    list_filter = ["state", "is_demo"]
    date_hierarchy = "at"
    search_fields = ["=actor_username", "reason"]
    search_help_text = "Search by complete user name, or part of the reason."
    change_form_template = "admin/followed.html"
    staff_actions = (
        AdminAction(
            "show",
            "Show this version",
            "Readers see this version until the next one is computed.",
            MAY_COMPUTE,
            act="Show {}",
            plan=computing.plan_show_version,
            run=computing.show_version,
        ),
    )

    def get_fields(self, request: HttpRequest, obj: Computation | None = None) -> list[Any]:
        """Return the fields of a version, those of its content only once it is computed."""
        content = ["made_at", "seconds", "rows", "made_from", "counted_filers", "left_out"]
        return [
            *("version", "is_shown", "standing", "at", "by", "reason"),
            *([*content, "sources_sha256", "is_demo"] if obj and obj.made_at else ["last_error"]),
        ]

    def outcome(self, thing: Computation) -> str:
        return f"{str(thing).capitalize()}: {self.standing(thing)}."

    @admin.display(description="last failed attempt")
    def last_error(self, computation: Computation) -> str:
        return computation.job.last_error

    @admin.display(ordering="pk")
    def version(self, computation: Computation) -> str:
        return str(computation.pk)

    @admin.display(boolean=True, description="shown")
    def is_shown(self, computation: Computation) -> bool:
        return hasattr(computation, "shown")

    @admin.display(description="state", ordering="state")
    def standing(self, computation: Computation) -> str:
        if computation.state != Computation.State.ASKED:
            return computation.get_state_display()
        return computation.job.state_label

    @admin.display(description="requested by", ordering="actor_username")
    def by(self, computation: Computation) -> str:
        return person_name(computation)

    @admin.display(description="made from")
    def made_from(self, computation: Computation) -> SafeString:
        return format_html_join(
            "",
            "<p>{}: {}, files: {}</p>",
            ((source["year"], source["from"], source["files"]) for source in computation.sources),
        )

    @admin.display(description="quarterly filers")
    def counted_filers(self, computation: Computation) -> str:
        if computation.filers is None:
            return ""
        panel = computation.panel_year
        return f"{computation.filers:,}, by " + (f"the panel of {panel}" if panel else "no panel")

    @admin.display
    def left_out(self, computation: Computation) -> SafeString:
        notes = answers.describe_missing_figures(answers.version_of_computation(computation))
        return format_html_join("", "<p>{}</p>", ((note,) for note in notes))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).order_by("-id")

    def add(self, request: HttpRequest) -> HttpResponse:
        """Show the form for a reason; queue a computation when it is submitted."""
        form = ComputationReasonForm(request.POST if request.method == "POST" else None)
        if form.is_valid():
            by = find_caller(request)
            requested = computing.request_computation(
                by=by, reason=form.cleaned_data["reason"], force=True
            )
            messages.success(
                request,
                f"Your computation is {requested}. Readers see it as soon as it is computed.",
            )
            return redirect("admin:graphs_computation_change", requested.pk)
        title = "Compute the graphs again"
        return render_own_page(self, request, "admin/graphs/compute.html", title, {"form": form})


@admin.register(FactsImport)
class FactsImportAdmin(ReadOnlyAdmin):
    """The facts imported from files with `manage.py load_graph_facts`."""

    list_display = [
        *("year", "active", "annual", "source", "rows", "institutions"),
        *("loaded_at", "loaded_by", "is_demo"),
    ]
    list_filter = ["active", "is_demo", "annual"]
    date_hierarchy = "loaded_at"
    search_fields = ["source", "^sha256"]
    search_help_text = "Search by file name, or the beginning of a SHA-256."
