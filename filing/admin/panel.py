"""The panel as a whole: import with a preview and a reason, carry over to a later year, export.

A past import has its file, who imported it and why, and the result for each row.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from import_export.admin import ImportExportMixin
from import_export.formats.base_formats import CSV, XLSX

from filing import exports as list_exports
from filing.admin.export import is_long_list, make_list_request
from filing.admin.forms import REASON_MAX_LENGTH, ReasonField, find_caller
from filing.admin.own_pages import (
    OwnPages,
    WithOwnPages,
    name_number,
    render_own_page,
    show_again,
)
from filing.admin.tables import ReadOnlyAdmin
from filing.audit.value_changes import describe_change
from filing.errors import BadInput, Refusal
from filing.exports import OpenedList
from filing.files import responses
from filing.lar.fields import AGENCIES, STATES
from filing.lar.years import YearStage, newest_year, supported_years
from filing.models import Institution, PanelImport
from filing.panel import carry_over, exports, history, panel_imports, sheets
from filing.panel.columns import PANEL_COLUMNS
from filing.panel.panel_imports import PanelPreview
from filing.previews import PreviewChanged, digest_preview
from filing.scanning import ScannedFileField, set_sender
from filing.seasons.plans import InstitutionChoice

WHY = ReasonField(
    label="Reason",
    missing="",
    max_length=REASON_MAX_LENGTH,
    columns=80,
    help_text="Recorded with every change; all staff can read it.",
)
MAX_SKIPPED_LISTED = 5_000
MAY_IMPORT = "filing.add_panelimport"
TEMPLATES = {
    "csv": (responses.CSV, exports.write_csv_template),
    "xlsx": (XLSX.CONTENT_TYPE, exports.write_workbook_template),
}


class PanelUploadForm(forms.Form):
    """A panel file."""

    file = ScannedFileField(
        label="Panel file",
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx"}),
        help_text="CSV in UTF-8, or XLSX with one sheet.",
    )

    def clean_file(self) -> Any:
        """Refuse a file that is too large, before it is read."""
        file = self.cleaned_data["file"]
        if file.size > sheets.MOST_BYTES:
            raise forms.ValidationError(
                f"{file.name} is larger than {sheets.MOST_BYTES // 1024**2} MB. Split it, and "
                "import the parts."
            )
        return file


class PanelConfirmForm(forms.Form):
    """The reason for importing a previewed file."""

    ticket = forms.CharField(widget=forms.HiddenInput)
    reason = WHY


class CarryPanelForm(forms.Form):
    """The years to carry over from and to, and which institutions."""

    from_year = forms.TypedChoiceField(label="From", coerce=int)
    to_year = forms.TypedChoiceField(label="To", coerce=int)
    agencies = forms.TypedMultipleChoiceField(
        label="Agencies",
        coerce=int,
        required=False,
        choices=[(code, f"{code} {name}") for code, name in AGENCIES.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="Select none for all agencies.",
    )
    states = forms.CharField(
        required=False,
        help_text="Two-letter codes separated by commas, such as CA, NY. Leave blank for all.",
        widget=forms.TextInput(attrs={"size": 40}),
    )
    quarterly_only = forms.BooleanField(label="Quarterly filers only", required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        years = [(year, year) for year in reversed(supported_years(YearStage.DRAFT))]
        for name in ("from_year", "to_year"):
            cast(forms.ChoiceField, self.fields[name]).choices = years

    def clean_states(self) -> tuple[str, ...]:
        """Refuse unknown states, which would select no institution."""
        states = self.cleaned_data["states"].upper().replace(",", " ").split()
        if unknown := [state for state in states if state not in STATES]:
            raise forms.ValidationError(
                f"Unknown state: {', '.join(unknown)}. Enter two-letter codes, such as CA, NY."
            )
        return tuple(dict.fromkeys(states))

    @property
    def choice(self) -> InstitutionChoice:
        return InstitutionChoice(
            agencies=tuple(self.cleaned_data["agencies"]),
            states=self.cleaned_data["states"],
            quarterly_only=self.cleaned_data["quarterly_only"],
        )


class CarryReasonForm(forms.Form):
    """The second step: the reason."""

    reason = WHY


class PanelExportForm(forms.Form):
    """The format of an export: CSV or XLSX."""

    FORMATS = {"csv": CSV, "xlsx": XLSX}

    format = forms.ChoiceField(
        choices=[("csv", "CSV"), ("xlsx", "XLSX (Excel)")], initial="csv", widget=forms.RadioSelect
    )


class LongPanelExportForm(PanelExportForm):
    """The format of a long list, which a job exports, and the reason."""

    reason = WHY


@admin.register(PanelImport)
class PanelImportAdmin(ReadOnlyAdmin):
    """Past imports, read-only."""

    how_rows_come = "Import a panel file, and its report is listed here."
    list_display = [
        "at",
        "file_name",
        "actor_username",
        "read",
        "added",
        "changed",
        "unchanged",
        "skipped",
        "reason",
    ]
    date_hierarchy = "at"
    search_fields = ["file_name", "=actor_username", "=actor_email", "^sha256", "reason"]
    search_help_text = (
        "Search by a part of the file name or reason, the beginning of a SHA-256, or a whole user "
        "name or email address."
    )
    fields = [
        "at",
        "file_name",
        "sha256",
        "reason",
        "actor_username",
        "actor_email",
        "read",
        "added",
        "changed",
        "unchanged",
        "skipped",
    ]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("details")

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> Any:
        rows = list_import_rows(context["original"].details)
        return super().render_change_form(request, {**context, "rows": rows}, *args, **options)


def list_import_rows(details: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of an import for its page, with a limited number of skipped rows."""
    skipped, changed = details.get("skipped", []), details.get("changed", [])
    return {
        **details,
        "changed": [{**row, "lines": _list_changes(row["fields"])} for row in changed],
        "skipped": skipped[:MAX_SKIPPED_LISTED],
        "max_skipped_listed": MAX_SKIPPED_LISTED,
    }


def _list_changes(fields: list[list[str]]) -> list[str]:
    """Return a line for each changed field of a row. Its values are texts of cells."""
    known = {field.name: field for field in Institution._meta.concrete_fields}
    return [
        describe_change(
            history.label_field(name),
            before.replace(";", ", "),
            after.replace(";", ", "),
            field=known.get(name),
        )
        for name, before, after in fields
    ]


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
        form = set_sender(
            PanelUploadForm(request.POST or None, request.FILES or None), find_caller(request)
        )
        if form.is_valid():
            file = form.cleaned_data["file"]
            try:
                preview = panel_imports.preview_import(
                    file.name, file.read(), by=find_caller(request)
                )
            except Refusal as refusal:
                form.add_error("file", refusal.message)
            else:
                return self._preview(request, preview)
        return self._page(
            request, "import", "Import institutions", form=form, columns=PANEL_COLUMNS
        )

    def template_view(self, kind: str, request: HttpRequest) -> HttpResponseBase:
        """Send a template with the columns that an import reads."""
        self._require_import(request)
        content_type, write_template = TEMPLATES[kind]
        template = HttpResponse(write_template(), content_type=content_type)
        return responses.make_attachment(f"panel-template.{kind}", template)

    def process_import(self, request: HttpRequest, **options: Any) -> HttpResponseBase:
        """Import the previewed file, and show the report."""
        self._require_import(request)
        form = PanelConfirmForm(request.POST or None)
        upload = HttpResponseRedirect(reverse("admin:filing_institution_import"))
        if request.method != "POST" or not form.data.get("ticket"):
            return upload
        ticket, reason = form.data["ticket"], form.data.get("reason", "")
        try:
            if not form.is_valid():
                return self._preview(
                    request, panel_imports.repeat_preview(ticket, by=find_caller(request)), form
                )
            result = panel_imports.confirm_import(
                ticket,
                reason=reason,
                by=find_caller(request),
                digest=request.POST.get("digest", ""),
            )
        except PreviewChanged as changed:
            messages.warning(request, changed.message)
            preview = panel_imports.repeat_preview(ticket, by=find_caller(request))
            return self._preview(request, preview, form)
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return upload
        imported = f"The panel was imported. {result.counts} {result.details['filings']}"
        messages.success(request, imported.rstrip())
        return HttpResponseRedirect(reverse("admin:filing_panelimport_change", args=[result.pk]))

    def export_action(self, request: HttpRequest) -> HttpResponseBase:
        """Send the institutions of the list, filtered as shown, as a file."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        try:
            institutions = self.get_export_queryset(request)
        except IncorrectLookupParameters:
            return HttpResponseRedirect(reverse("admin:filing_institution_changelist") + "?e=1")
        is_long = is_long_list(institutions)
        form = (LongPanelExportForm if is_long else PanelExportForm)(request.POST or None)
        if form.is_valid():
            try:
                if not is_long:
                    return _file(form.cleaned_data["format"], institutions)
                made = list_exports.request_export(
                    self.opts.label_lower,
                    user=cast(User, request.user),
                    form=form.cleaned_data["format"],
                    query=request.GET.urlencode(),
                    reason=form.cleaned_data["reason"],
                )
                return HttpResponseRedirect(
                    reverse("admin:filing_listexport_change", args=[made.pk])
                )
            except Refusal as refusal:
                form.add_error("format", refusal.message)
        count = institutions.count()
        act = f"Export {name_number(count, self.opts)}"
        return self._page(request, "export", "Export institutions", form=form, count=count, act=act)

    def open_list(self, user: User, query: str) -> OpenedList:
        """Return the institutions as a user reads them with these filters. Raises: BadInput."""
        try:
            institutions = self.get_export_queryset(make_list_request(user, query))
        except IncorrectLookupParameters as error:
            raise BadInput("The filters of the list are malformed.") from error
        return exports.open_institutions(institutions)

    def carry_view(self, request: HttpRequest) -> HttpResponseBase:
        """Show what carrying a panel over would do, and do it once confirmed."""
        self._require_import(request)
        form, why, report = CarryPanelForm(request.POST or None, initial=_years()), None, None
        if form.is_valid():
            why = CarryReasonForm(request.POST if "digest" in request.POST else None)
            years = form.cleaned_data["from_year"], form.cleaned_data["to_year"]
            carry = partial(
                carry_over.carry_panel_over, *years, choice=form.choice, by=find_caller(request)
            )
            try:
                if why.is_valid():
                    with show_again(request):
                        result = carry(digest=request.POST["digest"], **why.cleaned_data)
                        messages.success(request, f"The panel was carried over. {result}")
                        page = reverse("admin:filing_institution_changelist")
                        return HttpResponseRedirect(f"{page}?activity_year={result.to_year}")
                report = carry(dry_run=True)
            except Refusal as refusal:
                form.add_error(None, refusal.message)
        act = f"Carry {name_number(report.added, self.opts)} over" if report else ""
        digest = digest_preview(report) if report else ""
        context = {"form": form, "why": why, "report": report, "act": act, "digest": digest}
        return self._page(request, "carry", "Carry a panel over", **context)

    def _require_import(self, request: HttpRequest) -> None:
        if not self.has_import_permission(request):
            raise PermissionDenied(MAY_IMPORT)

    def _preview(
        self,
        request: HttpRequest,
        preview: PanelPreview,
        form: PanelConfirmForm | None = None,
    ) -> TemplateResponse:
        form = form or PanelConfirmForm(initial={"ticket": preview.ticket})
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
            act=f"Import {name_number(report.added + report.changed, self.opts)}",
            rows=list_import_rows(report.details()),
            digest=digest_preview(*report.list_facts()),
        )

    def _page(
        self, request: HttpRequest, name: str, title: str, **context: Any
    ) -> TemplateResponse:
        return render_own_page(
            self, request, f"admin/filing/institution/{name}.html", title, context
        )


def _file(extension: str, institutions: Any) -> HttpResponseBase:
    name = f"institutions-{timezone.localdate():%Y-%m-%d}.{extension}"
    kind = PanelExportForm.FORMATS[extension].CONTENT_TYPE
    if extension == "xlsx":
        file = exports.export_workbook(institutions)
        return FileResponse(file, as_attachment=True, filename=name, content_type=kind)
    return responses.stream_attachment(name, exports.export_csv(institutions))


def _years() -> dict[str, int]:
    last = min(timezone.localdate().year, newest_year(YearStage.DRAFT))
    return {"from_year": last - 1, "to_year": last}
