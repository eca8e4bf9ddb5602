"""Reference data: which years are complete, loading files, and restoring earlier ones.

A file is previewed before it is in use; loading needs a reason; the replaced file is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse

from filing import access
from filing.admin.notes import WithNotes
from filing.admin.own_pages import OwnPages, own_page
from filing.admin.page_links import WithLinks
from filing.admin.readonly import ReadOnlyAdmin
from filing.admin.reasons import ReasonForm
from filing.admin.reference_forms import LoadForm
from filing.errors import Refusal
from filing.files import attachments
from filing.lar.years import Stage, newest_year
from filing.models import ReferenceData
from filing.reference import listing
from filing.reference.kinds import KINDS
from filing.reference_data import loading
from filing.scanning.forms import sent_by

MAY_LOAD = "filing.add_referencedata"
_PAGES = "admin/filing/referencedata"


@admin.register(ReferenceData)
class ReferenceDataAdmin(WithLinks, WithNotes, ReadOnlyAdmin):
    """Loaded files; above the list, the files of each year."""

    list_display = ["kind", "year", "active", "rows", "source", "loaded_at", "loaded_by", "begins"]
    list_filter = ["kind", "year", "active"]
    date_hierarchy = "loaded_at"
    search_fields = ["source", "^sha256"]
    search_help_text = "Search by file name, or by the beginning of a SHA-256."

    @admin.display(description="SHA-256", ordering="sha256")
    def begins(self, data: ReferenceData) -> str:
        return data.sha256[:12]

    def own_pages(self) -> OwnPages:
        """Return the pages to load and to restore a file, each with a preview."""
        return (
            ("load/", self.load, "load"),
            ("load/confirm/", self.confirm, "confirm"),
            ("load/template/<slug:facts>.txt", self.template, "template"),
            ("<int:key>/restore/", self.restore, "restore"),
            *super().own_pages(),
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {
            "title": "Reference data",
            "kinds": list(KINDS.values()),
            "matrix": loading.matrix(),
            "may_load": request.user.has_perm(MAY_LOAD),
        }
        return super().changelist_view(request, context | (extra_context or {}))

    def page_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        return {"may_load": request.user.has_perm(MAY_LOAD)}

    def load(self, request: HttpRequest) -> HttpResponse:
        """Show the form; once submitted, show what each file would change, or its errors."""
        by = _loader(request)
        title = "Load reference data"
        if request.method != "POST":
            return self._page(request, "load", title, form=LoadForm(initial=request.GET.dict()))
        form = sent_by(LoadForm(request.POST, request.FILES), by)
        if form.is_valid():
            kind, year = form.cleaned_data["kind"], form.cleaned_data["year"]
            try:
                previews = loading.preview(kind, year, _sources(form), by=by)
            except Refusal as error:  # only fetching from an address can be refused
                form.add_error("address", error.message)
            else:
                return self._preview(request, previews, ReasonForm())
        return self._page(request, "load", title, form=form)

    def template(self, request: HttpRequest, facts: str) -> HttpResponse:
        """Send a template: a file with only the header line."""
        _loader(request)
        if facts not in KINDS:
            raise Http404
        header = listing.header(KINDS[facts].columns(newest_year(Stage.DRAFT)))
        empty = HttpResponse(header, content_type="text/plain; charset=utf-8")
        return attachments.saved_as(f"{facts}-template.txt", empty)

    def confirm(self, request: HttpRequest) -> HttpResponse:
        """Load the previewed files."""
        by = _loader(request)
        if request.method != "POST":
            return redirect("admin:filing_referencedata_load")
        form, tokens = ReasonForm(request.POST), request.POST.getlist("token")
        try:
            if not form.is_valid():
                return self._preview(request, loading.repeat_previews(tokens, by=by), form)
            reports = loading.confirm(tokens, by=by, reason=form.cleaned_data["reason"])
        except Refusal as error:
            messages.error(request, error.message)
            return redirect("admin:filing_referencedata_load")
        for report in reports:
            if report.unchanged:
                label = f"{KINDS[report.kind].label} of {report.year}"
                messages.info(
                    request, f"The {label} is unchanged: {report.source} is already in use."
                )
            else:
                rows = f"{report.rows:,} rows from {report.source}"
                self._report_success(request, report.kind, report.year, f"is loaded, {rows}")
        return redirect("admin:filing_referencedata_changelist")

    def restore(self, request: HttpRequest, key: int) -> HttpResponse:
        """Put an earlier file back in use, after showing how it differs from the current one."""
        by = _loader(request)
        data = get_object_or_404(ReferenceData, pk=key)
        form = ReasonForm(request.POST or None)
        if form.is_valid():
            try:
                loading.restore(data, by=by, reason=form.cleaned_data["reason"])
            except Refusal as error:
                messages.error(request, error.message)
            else:
                self._report_success(
                    request, data.kind, data.year, f"is restored from {data.source}"
                )
            return redirect("admin:filing_referencedata_changelist")
        title = f"Restore the {KINDS[data.kind].label} of {data.year}"
        difference = loading.difference_from_active(data)
        return self._page(
            request, "restore", title, form=form, original=data, difference=difference
        )

    def _report_success(self, request: HttpRequest, kind: str, year: int, what: str) -> None:
        messages.success(request, f"The {KINDS[kind].label} of {year} {what}.")
        if number := loading.checked_before(kind, year):
            messages.warning(
                request,
                f"{number:,} unsigned submissions were checked with the previous file. You can "
                "run their edits again from the list of submissions.",
            )

    def _preview(
        self, request: HttpRequest, previews: Sequence[loading.Preview], form: ReasonForm
    ) -> HttpResponse:
        names = {f"{preview.kind.label} {preview.year or ''}".strip() for preview in previews}
        title = names.pop() if len(names) == 1 else f"{len(previews)} files"
        loadable = [preview for preview in previews if preview.token]
        return self._page(
            request, "preview", f"Preview: {title}", previews=previews, loadable=loadable, form=form
        )

    def _page(
        self, request: HttpRequest, name: str, title: str, **context: Any
    ) -> TemplateResponse:
        kinds = {
            "kinds": list(KINDS.values()),
            "layouts": [(kind, kind.columns(newest_year(Stage.DRAFT))) for kind in KINDS.values()],
        }
        return own_page(self, request, f"{_PAGES}/{name}.html", title, kinds | context)


def _sources(form: LoadForm) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file, one at a time because they may be large."""
    if address := form.cleaned_data["address"]:
        yield address, loading.from_address(address)
    for upload in form.cleaned_data["file"]:
        yield upload.name, upload.read()


def _loader(request: HttpRequest) -> access.Caller:
    """Return the user of the request as a caller who may load.

    Raises: PermissionDenied.
    """
    if not request.user.has_perm(MAY_LOAD):
        raise PermissionDenied(MAY_LOAD)
    return access.caller_of(cast(User, request.user))
