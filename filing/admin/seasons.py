"""Opening a season: a form, a preview, the progress of the job, and a report."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from filing import seasons
from filing.admin.actions import AdminAction, WithActions
from filing.admin.forms import find_caller
from filing.admin.own_pages import OwnPages, WithPageLinks, render_own_page
from filing.admin.season_form import (
    START_FIELDS,
    SeasonConfirmForm,
    SeasonForm,
    SeasonStartForm,
    suggest_year,
)
from filing.admin.tables import ReadOnlyAdmin
from filing.errors import Refusal
from filing.models import SeasonOpening
from filing.previews import PreviewChanged, digest_preview
from filing.seasons import InstitutionChoice

MAY_OPEN = "filing.add_seasonopening"
UNDO = AdminAction(
    name="undo",
    label="Undo this opening",
    does=(
        "Removes the filings and periods that the opening created, and gives periods that it moved "
        "their days back. Possible as long as none of its filings has a submission."
    ),
    permission=MAY_OPEN,
    act="Undo {}",
    plan=seasons.plan_undo,
    run=seasons.undo_opening,
    lock=seasons.lock_opening,
)
_PAGES = "admin/filing/seasonopening"


@admin.register(SeasonOpening)
class SeasonOpeningAdmin(WithPageLinks, WithActions, ReadOnlyAdmin):
    """Season openings: what was requested, by whom and why, and the report."""

    related = ["job"]
    list_display = [
        *("season", "at", "by", "institutions", "announce", "state", "made", "undone_at"),
        "reason",
    ]
    staff_actions = (UNDO,)
    list_filter = ["year", "job__state"]
    search_fields = ["=actor_username", "=actor_email", "reason"]
    search_help_text = "Search by a whole user name or email address, or a part of the reason."
    date_hierarchy = "at"
    fields = ["season", "at", "by", "reason", "institutions", "announce", "undone_at"]

    @admin.display(description="data year", ordering="year")
    def season(self, opening: SeasonOpening) -> int:
        return opening.year

    @admin.display(description="requested by", ordering="actor_username")
    def by(self, opening: SeasonOpening) -> str:
        return opening.actor_username or "the command line"

    @admin.display
    def institutions(self, opening: SeasonOpening) -> str:
        return str(InstitutionChoice.of_json(opening.choice))

    @admin.display(ordering="job__state")
    def state(self, opening: SeasonOpening) -> str:
        return opening.job.state

    @admin.display(description="filings created")
    def made(self, opening: SeasonOpening) -> int | None:
        report = seasons.read_report(opening)
        return report.made if report else None

    def own_pages(self) -> OwnPages:
        """Return the form, its confirmation, and the progress part of the page."""
        return (
            ("open/", self.open, "open"),
            ("open/confirm/", self.confirm, "confirm"),
            ("<int:key>/progress/", self.progress, "progress"),
            *super().own_pages(),
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"title": "Season openings", "may_open": _may_open(request)}
        return super().changelist_view(request, context | (extra_context or {}))

    def page_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        opening = self.get_object(request, object_id)
        return _progress(request, opening) if opening else {}

    def open(self, request: HttpRequest) -> HttpResponse:
        """Show the form; once submitted, show the preview, or the form with its errors."""
        _require_opener(request)
        if request.method == "POST":
            form = _submitted(request)
            is_complete = form.is_valid() and "change" not in request.POST
            return self._preview(request, form) if is_complete else self._form(request, form)
        parameters = {"year": suggest_year(), "start": "now"} | request.GET.dict()
        start = SeasonStartForm(parameters)
        if not start.is_valid():
            form = SeasonForm.filled_in(suggest_year(), "now")
            return self._form(request, form, start)
        year, option = start.cleaned_data["year"], start.cleaned_data["start"]
        return self._form(request, SeasonForm.filled_in(year, option), start)

    def confirm(self, request: HttpRequest) -> HttpResponse:
        """Open the previewed season."""
        _require_opener(request)
        if request.method != "POST":
            return redirect("admin:filing_seasonopening_open")
        form = _submitted(request)
        if not form.is_valid():
            return self._form(request, form)
        plan = form.plan()
        confirmation = SeasonConfirmForm(
            request.POST,
            year=plan.year,
            needs_force=seasons.lacks_census(plan.year),
        )
        if not confirmation.is_valid():
            return self._preview(request, form, confirmation)
        cleaned = confirmation.cleaned_data
        by = find_caller(request)
        try:
            opening = seasons.queue_opening(
                plan,
                by=by,
                reason=cleaned["reason"],
                force=cleaned.get("force", False),
                digest=request.POST.get("digest", ""),
            )
        except PreviewChanged as changed:
            messages.warning(request, changed.message)
            return self._preview(request, form, confirmation)
        except Refusal as error:
            confirmation.add_error(None, error.message)
            return self._preview(request, form, confirmation)
        return redirect("admin:filing_seasonopening_change", opening.pk)

    def progress(self, request: HttpRequest, key: int) -> HttpResponse:
        """Return the progress of an opening, or its report, for the page to refresh."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        opening = get_object_or_404(self.get_queryset(request), pk=key)
        return TemplateResponse(
            request, f"{_PAGES}/progress.html", {"original": opening} | _progress(request, opening)
        )

    def _form(
        self, request: HttpRequest, form: SeasonForm, start: SeasonStartForm | None = None
    ) -> HttpResponse:
        start = start or SeasonStartForm({"year": form.season, "start": "now"})
        lacks_days = start.is_valid() and not START_FIELDS[start.cleaned_data["start"]][1](
            form.season
        )
        context = {"form": form, "start": start, "lacks_days_to_start_from": lacks_days}
        return self._page(request, "open", f"Open season {form.season}", context)

    def _preview(
        self, request: HttpRequest, form: SeasonForm, confirmation: SeasonConfirmForm | None = None
    ) -> HttpResponse:
        preview = seasons.preview_season(form.plan())
        confirmation = confirmation or SeasonConfirmForm(
            year=form.season, needs_force=preview.needs_force
        )
        context = {
            "form": form,
            "preview": preview,
            "digest": digest_preview(preview),
            "confirm": confirmation,
        }
        return self._page(request, "preview", f"Preview of season {form.season}", context)

    def _page(
        self, request: HttpRequest, name: str, title: str, context: dict[str, Any]
    ) -> HttpResponse:
        return render_own_page(self, request, f"{_PAGES}/{name}.html", title, context)


def _may_open(request: HttpRequest) -> bool:
    return request.user.has_perm(MAY_OPEN)


def _require_opener(request: HttpRequest) -> None:
    if not _may_open(request):
        raise PermissionDenied(MAY_OPEN)


def _submitted(request: HttpRequest) -> SeasonForm:
    """Return the submitted form; its fields depend on the year."""
    start = SeasonStartForm({"year": request.POST.get("year", ""), "start": "now"})
    year = start.cleaned_data["year"] if start.is_valid() else suggest_year()
    return SeasonForm(request.POST, year=year)


def _progress(request: HttpRequest, opening: SeasonOpening) -> dict[str, Any]:
    job = opening.job
    return {
        "job": job,
        "report": seasons.read_report(opening),
        "is_waiting": job.is_unfinished,
        "address": reverse("admin:filing_seasonopening_progress", args=[opening.pk]),
        "may_open": _may_open(request),
    }
