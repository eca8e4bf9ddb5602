"""The panel as a whole: import with a preview and a reason, carry over to a later year, export."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
)
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from import_export.admin import ImportExportMixin
from import_export.formats.base_formats import CSV, XLSX

from filing.access import Caller, caller_of
from filing.admin.own_pages import OwnPages, WithOwnPages, own_page
from filing.admin.panel_forms import CarryForm, CarryReasonForm, ConfirmForm, ExportForm, UploadForm
from filing.admin.panel_imports import rows_of
from filing.errors import Refusal, TooLarge
from filing.files import attachments
from filing.lar.years import Stage, newest_year
from filing.panel import carry_over, exports, file_template, previews
from filing.panel.columns import COLUMNS
from filing.panel.previews import Preview
from filing.scanning.forms import sent_by

MAY_IMPORT = "filing.add_panelimport"
TEMPLATES = {"csv": (CSV, file_template.as_csv), "xlsx": (XLSX, file_template.as_xlsx)}


class PanelPages(ImportExportMixin, WithOwnPages):
    """The pages for import, export and carrying over, next to the list of institutions."""

    import_export_change_list_template = "admin/filing/institution/change_list.html"

    def own_pages(self) -> OwnPages:
        """Return the page for carrying over, and the templates of a panel file."""
        templates = (
            (
                f"import/template.{kind}",
                require_safe(partial(self.template_view, kind)),
                f"template_{kind}",
            )
            for kind in TEMPLATES
        )
        return (("carry/", self.carry_view, "carry"), *templates, *super().own_pages())

    def has_import_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm(MAY_IMPORT))

    def has_export_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_view_permission(request))

    def import_action(self, request: HttpRequest, **options: Any) -> HttpResponseBase:
        """Receive a file and show what importing it would do."""
        self._require_import(request)
        form = sent_by(UploadForm(request.POST or None, request.FILES or None), by(request))
        if form.is_valid():
            file = form.cleaned_data["file"]
            try:
                preview = previews.preview(file.name, file.read(), by=by(request))
            except Refusal as refusal:
                form.add_error("file", refusal.message)
            else:
                return self._preview(request, preview)
        return self._page(request, "import", "Import institutions", form=form, columns=COLUMNS)

    def template_view(self, kind: str, request: HttpRequest) -> HttpResponseBase:
        """Send a template with the columns that an import reads."""
        self._require_import(request)
        format_of, content = TEMPLATES[kind]
        content_type = attachments.CSV if format_of is CSV else format_of.CONTENT_TYPE
        template = HttpResponse(content(), content_type=content_type)
        return attachments.saved_as(f"panel-template.{kind}", template)

    def process_import(self, request: HttpRequest, **options: Any) -> HttpResponseBase:
        """Import the previewed file, and show the report."""
        self._require_import(request)
        form = ConfirmForm(request.POST or None)
        upload = HttpResponseRedirect(reverse("admin:filing_institution_import"))
        if request.method != "POST" or not form.data.get("ticket"):
            return upload
        ticket, reason = form.data["ticket"], form.data.get("reason", "")
        try:
            if not form.is_valid():
                return self._preview(request, previews.show_again(ticket, by=by(request)), form)
            result = previews.confirm(ticket, reason=reason, by=by(request))
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return upload
        if isinstance(result, Preview):
            messages.warning(
                request,
                "Nothing was imported: the panel has changed since the preview. This page shows "
                "what the file would do now. Review it and confirm again.",
            )
            return self._preview(request, result, initial={"reason": reason})
        messages.success(request, f"The panel was imported. {result.counts}")
        return HttpResponseRedirect(reverse("admin:filing_panelimport_change", args=[result.pk]))

    def export_action(self, request: HttpRequest) -> HttpResponseBase:
        """Send the institutions of the list, filtered as shown, as a file."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        try:
            institutions = self.get_export_queryset(request)
        except IncorrectLookupParameters:
            return HttpResponseRedirect(reverse("admin:filing_institution_changelist") + "?e=1")
        form = ExportForm(request.POST or None)
        if form.is_valid():
            try:
                return _file(form.cleaned_data["format"], institutions)
            except TooLarge as refusal:
                form.add_error("format", refusal.message)
        count = institutions.count()
        return self._page(request, "export", "Export institutions", form=form, count=count)

    def carry_view(self, request: HttpRequest) -> HttpResponseBase:
        """Show what carrying a panel over would do, and do it once confirmed."""
        self._require_import(request)
        form, why, report = CarryForm(request.POST or None, initial=_years()), None, None
        if form.is_valid():
            why = CarryReasonForm(request.POST if "seen" in request.POST else None)
            years = form.cleaned_data["from_year"], form.cleaned_data["to_year"]
            try:
                report = carry_over.carry(*years, choice=form.choice, dry_run=True, by=by(request))
                if why.is_valid() and why.cleaned_data["seen"] == str(report):
                    reason = why.cleaned_data["reason"]
                    done = carry_over.carry(
                        *years, choice=form.choice, reason=reason, by=by(request)
                    )
                    messages.success(request, f"The panel was carried over. {done}")
                    list_address = reverse("admin:filing_institution_changelist")
                    return HttpResponseRedirect(f"{list_address}?activity_year={done.to_year}")
            except Refusal as refusal:
                form.add_error(None, refusal.message)
            if report and why.is_bound and why.is_valid():
                messages.warning(
                    request, "Nothing was done: the panel has changed since the preview."
                )
            if report:
                why = CarryReasonForm(
                    why.data if why.is_bound and not why.is_valid() else None,
                    initial={"seen": str(report), "reason": request.POST.get("reason", "")},
                )
        return self._page(request, "carry", "Carry a panel over", form=form, why=why, report=report)

    def _require_import(self, request: HttpRequest) -> None:
        if not self.has_import_permission(request):
            raise PermissionDenied(MAY_IMPORT)

    def _preview(
        self,
        request: HttpRequest,
        preview: Preview,
        form: ConfirmForm | None = None,
        initial: dict[str, str] | None = None,
    ) -> TemplateResponse:
        form = form or ConfirmForm(initial={**(initial or {}), "ticket": preview.ticket})
        report = preview.report
        return self._page(
            request,
            "preview",
            f"Preview of {preview.file_name}",
            form=form,
            read=report.read,
            added=report.added,
            changed=report.changed,
            unchanged=report.unchanged,
            skipped=len(report.skipped),
            rows=rows_of(report.details()),
        )

    def _page(
        self, request: HttpRequest, name: str, title: str, **context: Any
    ) -> TemplateResponse:
        return own_page(self, request, f"admin/filing/institution/{name}.html", title, context)


def by(request: HttpRequest) -> Caller:
    """Return the user of the request as the caller that actions expect."""
    return caller_of(cast(User, request.user))


def _file(extension: str, institutions: Any) -> HttpResponseBase:
    name = f"institutions-{timezone.localdate():%Y-%m-%d}.{extension}"
    kind = ExportForm.FORMATS[extension].CONTENT_TYPE
    if extension == "xlsx":
        file = exports.as_xlsx(institutions)
        return FileResponse(file, as_attachment=True, filename=name, content_type=kind)
    return attachments.streamed(name, exports.as_csv(institutions))


def _years() -> dict[str, int]:
    last = min(timezone.localdate().year, newest_year(Stage.DRAFT))
    return {"from_year": last - 1, "to_year": last}
