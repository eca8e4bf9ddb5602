"""The APOR tables in the admin: the rates in use, the loads they came from, and loading a table."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from filing import registries
from filing.admin.forms import find_caller
from filing.admin.own_pages import render_own_page
from filing.admin.tables import AddedByForm, ReadOnlyAdmin
from filing.previews import PreviewChanged, digest_preview
from filing.registries import AdminLink
from filing.scanning import set_sender
from ratespread import apor, loading
from ratespread.forms import AporLoadForm, AporTableForm
from ratespread.models import AporLoad, AporTable, AporWeek

registries.register_admin_links(
    AdminLink(
        "Load an APOR table",
        "admin:ratespread_aporload_add",
        ("ratespread.add_aporload",),
        "Load fixed or variable rates for the rate spread calculator.",
        place=130,
        verb="Load",
        table="ratespread.AporLoad",
    ),
    AdminLink(
        "Old APOR tables",
        "admin:ratespread_aportable_changelist",
        ("ratespread.add_aporload",),
        "Newer rates must have been published, or the last check failed.",
        place=62,
        backlog=apor.count_old_tables,
        waits_for="operators",
    ),
    AdminLink(
        "APOR tables",
        "admin:ratespread_aportable_changelist",
        ("ratespread.view_aportable",),
        "How recent the rates are, and the last load that failed.",
        place=210,
    ),
)


@admin.register(AporTable)
class AporTableAdmin(ReadOnlyAdmin):
    """The two tables: their last load and last check."""

    related = ["load"]
    list_display = ["kind", "newest_week", "load", "checked_at", "trouble"]
    search_fields = ["trouble"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return apor.annotate_newest_week(super().get_queryset(request))

    @admin.display(description="newest week", ordering="newest")
    def newest_week(self, table: Any) -> str:
        week = table.newest
        if week is None:
            return "none"
        return f"{week}{' (more than two weeks ago)' if apor.is_table_old(week) else ''}"


@admin.register(AporWeek)
class AporWeekAdmin(ReadOnlyAdmin):
    """The rates of each week, including those that were corrected."""

    related = ["load", "replaced_by"]
    list_display = ["week", "kind", "is_in_use", "at_15", "at_30", "load", "replaced_by"]
    list_filter = ["kind", ("replaced_by", admin.EmptyFieldListFilter)]
    date_hierarchy = "week"
    search_fields = ["=week", "load__source"]
    search_help_text = (
        "Search by the Monday of a week, such as 2023-11-20, or the file name of its load."
    )
    fields = ["kind", "week", "by_term", "load", "replaced_by"]
    readonly_fields = ["by_term"]

    @admin.display(boolean=True, description="in use")
    def is_in_use(self, week: AporWeek) -> bool:
        return week.replaced_by_id is None

    @admin.display(description="15 years")
    def at_15(self, week: AporWeek) -> str:
        return _rate(week, 15)

    @admin.display(description="30 years")
    def at_30(self, week: AporWeek) -> str:
        return _rate(week, 30)

    @admin.display(description="rates by term in years, percent")
    def by_term(self, week: AporWeek) -> SafeString:
        terms = format_html_join("", "<li>{}: {}</li>", enumerate(week.rates, start=1))
        return format_html('<ul class="rates-by-term">{}</ul>', terms)


def _rate(week: AporWeek, term: int) -> str:
    return str(week.rates[term - 1]) if len(week.rates) >= term else ""


@admin.register(AporLoad)
class AporLoadAdmin(AddedByForm):
    """The loads: who loaded what, when and why. Adding one loads a table after a preview."""

    list_display = [
        *("loaded_at", "kind", "source", "rows", "added", "changed"),
        *("loaded_by", "is_demo", "sha256"),
    ]
    list_filter = ["kind", "is_demo"]
    date_hierarchy = "loaded_at"
    search_fields = ["source", "loaded_by", "^sha256"]
    search_help_text = (
        "Search by file name or address, who loaded it, or the beginning of a SHA-256."
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).order_by("-id")

    def add(self, request: HttpRequest) -> HttpResponse:
        """Show the form, then the changes the load would make, then load the table."""
        if request.method != "POST":
            return self._page(request, AporTableForm())
        if "signed" in request.POST:
            return self._load(request)
        by = find_caller(request)
        form = set_sender(AporTableForm(request.POST, request.FILES), by)
        if not form.is_valid():
            return self._page(request, form)
        signed = form.cleaned_data["signed"]
        load_form = AporLoadForm(initial={"signed": signed})
        return self._preview(request, form.cleaned_data["table"], load_form)

    def _preview(
        self, request: HttpRequest, file: loading.AporFile, form: AporLoadForm
    ) -> HttpResponse:
        report = loading.load_apor_table(file, by="", dry_run=True)
        return self._page(request, form, report=report, digest=digest_preview(str(report)))

    def _load(self, request: HttpRequest) -> HttpResponse:
        form = AporLoadForm(request.POST)
        form.full_clean()
        file = form.cleaned_data.get("signed")
        if file is None:
            messages.error(request, "The preview has expired; choose the file again.")
            return redirect("admin:ratespread_aporload_add")
        if not form.is_valid():
            return self._preview(request, file, form)
        by, reason = request.user.get_username(), form.cleaned_data["reason"]
        digest = request.POST.get("digest", "")
        try:
            report = loading.load_apor_table(file, by=by, reason=reason, digest=digest)
        except PreviewChanged as changed:
            messages.warning(request, changed.message)
            return self._preview(request, file, form)
        if report.load is None:
            messages.warning(request, "Nothing was loaded: the rates are the same as those in use.")
            return redirect("admin:ratespread_aporload_changelist")
        messages.success(request, f"Loaded. {report}")
        return redirect("admin:ratespread_aporload_change", report.load.pk)

    def _page(self, request: HttpRequest, form: Any, **more: Any) -> HttpResponse:
        context = {"form": form, **more}
        return render_own_page(
            self, request, "admin/ratespread/load.html", "Load an APOR table", context
        )
