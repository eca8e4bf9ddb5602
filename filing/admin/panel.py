"""The panel as a whole: import with preview and reason, carry over to the next year, export."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from import_export.admin import ImportExportMixin
from import_export.formats.base_formats import CSV, XLSX

from filing.access import Caller, caller_of
from filing.admin.own_pages import own_page
from filing.admin.readonly import ReadOnlyAdmin
from filing.errors import Refusal, TooLarge
from filing.lar.fields import AGENCIES, STATES
from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.models import PanelImport
from filing.panel import blank, carrying, exports, imports, sheets
from filing.panel.columns import COLUMNS
from filing.panel.imports import Preview
from filing.seasons.choice import Choice

MAY_IMPORT = "filing.add_panelimport"
MOST_SKIPPED_SHOWN = 5_000
WHY = forms.CharField(
    label="Why",
    strip=True,
    max_length=2000,
    widget=forms.Textarea(attrs={"rows": 2, "cols": 80}),
    help_text="Kept with every change, where all staff can read it.",
)


class UploadForm(forms.Form):
    """A panel file."""

    file = forms.FileField(
        label="Panel file",
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx"}),
        help_text="CSV in UTF-8, or XLSX with one sheet.",
    )

    def clean_file(self) -> Any:
        """Refuse a file by its size before it is read."""
        file = self.cleaned_data["file"]
        if file.size > sheets.MOST_BYTES:
            raise forms.ValidationError(
                f"{file.name} has more than {sheets.MOST_BYTES // 1024**2} MB. Import it in parts."
            )
        return file


class ConfirmForm(forms.Form):
    """Why the file of a preview is imported."""

    ticket = forms.CharField(widget=forms.HiddenInput)
    reason = WHY


class CarryForm(forms.Form):
    """From which year to which, which institutions, and why. seen: what the preview said."""

    from_year = forms.TypedChoiceField(label="From", coerce=int)
    to_year = forms.TypedChoiceField(label="To", coerce=int)
    agencies = forms.TypedMultipleChoiceField(
        label="Agencies",
        coerce=int,
        required=False,
        choices=[(code, f"{code} {name}") for code, name in AGENCIES.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all of them.",
    )
    states = forms.CharField(
        required=False,
        help_text="Two letters each, commas between; blank: all of them.",
        widget=forms.TextInput(attrs={"size": 40}),
    )
    quarterly_only = forms.BooleanField(label="Quarterly filers only", required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        years = [(year, year) for year in range(LAST_YEAR, FIRST_YEAR - 1, -1)]
        for name in ("from_year", "to_year"):
            cast(forms.ChoiceField, self.fields[name]).choices = years

    def clean_states(self) -> tuple[str, ...]:
        """Refuse what is no state, which would else choose nobody."""
        words = self.cleaned_data["states"].upper().replace(",", " ").split()
        if wrong := [word for word in words if word not in STATES]:
            raise forms.ValidationError(f"{', '.join(wrong)}: no such state. Write CA, NY.")
        return tuple(dict.fromkeys(words))

    @property
    def choice(self) -> Choice:
        return Choice(
            agencies=tuple(self.cleaned_data["agencies"]),
            states=self.cleaned_data["states"],
            quarterly_only=self.cleaned_data["quarterly_only"],
        )


class CarryReasonForm(forms.Form):
    """The second step: why, and what was seen."""

    seen = forms.CharField(widget=forms.HiddenInput)
    reason = WHY


class ExportForm(forms.Form):
    """CSV or XLSX."""

    FORMATS = {"csv": CSV, "xlsx": XLSX}

    format = forms.ChoiceField(
        choices=[("csv", "CSV"), ("xlsx", "XLSX (Excel)")], initial="csv", widget=forms.RadioSelect
    )


TEMPLATES = {"csv": (CSV, blank.as_csv), "xlsx": (XLSX, blank.as_xlsx)}


class PanelPages(ImportExportMixin):
    """The pages beside the list of institutions: import, export, carry over."""

    import_export_change_list_template = "admin/filing/institution/change_list.html"

    def get_urls(self) -> list[URLPattern]:
        carry = self.admin_site.admin_view(self.carry_view)
        templates = [
            path(
                f"import/template.{kind}",
                self.admin_site.admin_view(require_safe(partial(self.template_view, kind))),
                name=f"filing_institution_template_{kind}",
            )
            for kind in TEMPLATES
        ]
        return [
            path("carry/", carry, name="filing_institution_carry"),
            *templates,
            *super().get_urls(),
        ]

    def has_import_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm(MAY_IMPORT))

    def has_export_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_view_permission(request))

    def import_action(self, request: HttpRequest, **options: Any) -> HttpResponseBase:
        """Take a file and show what it would do."""
        self._require_import(request)
        form = UploadForm(request.POST or None, request.FILES or None)
        if form.is_valid():
            file = form.cleaned_data["file"]
            try:
                seen = imports.preview(file.name, file.read(), by=by(request))
            except Refusal as refusal:
                form.add_error("file", refusal.message)
            else:
                return self._preview(request, seen)
        return self._page(request, "import", "Import institutions", form=form, columns=COLUMNS)

    def template_view(self, kind: str, request: HttpRequest) -> HttpResponseBase:
        """Send an empty panel file with the columns that an import reads."""
        self._require_import(request)
        format_of, content = TEMPLATES[kind]
        return HttpResponse(
            content(),
            content_type=format_of.CONTENT_TYPE,
            headers={"Content-Disposition": f'attachment; filename="panel-template.{kind}"'},
        )

    def process_import(self, request: HttpRequest, **options: Any) -> HttpResponseBase:
        """Import what was previewed, and show the report."""
        self._require_import(request)
        form = ConfirmForm(request.POST or None)
        upload = HttpResponseRedirect(reverse("admin:filing_institution_import"))
        if request.method != "POST" or not form.data.get("ticket"):
            return upload
        ticket, reason = form.data["ticket"], form.data.get("reason", "")
        try:
            if not form.is_valid():
                return self._preview(request, imports.show_again(ticket, by=by(request)), form)
            done = imports.confirm(ticket, reason=reason, by=by(request))
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return upload
        if isinstance(done, Preview):
            messages.warning(
                request,
                "Nothing was imported: the panel has changed since the preview. This is what the "
                "file would do now. Look at it and confirm again.",
            )
            return self._preview(request, done, initial={"reason": reason})
        messages.success(request, f"The panel was imported. {done.counts}")
        return HttpResponseRedirect(reverse("admin:filing_panelimport_change", args=[done.pk]))

    def export_action(self, request: HttpRequest) -> HttpResponseBase:
        """Send the institutions of the list, as it is filtered, as a file."""
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
        """Show what carrying a panel over would do, and do it when that was confirmed."""
        self._require_import(request)
        form, why, report = CarryForm(request.POST or None, initial=_years()), None, None
        if form.is_valid():
            why = CarryReasonForm(request.POST if "seen" in request.POST else None)
            years = form.cleaned_data["from_year"], form.cleaned_data["to_year"]
            try:
                report = carrying.carry(*years, choice=form.choice, dry_run=True, by=by(request))
                if why.is_valid() and why.cleaned_data["seen"] == str(report):
                    reason = why.cleaned_data["reason"]
                    done = carrying.carry(*years, choice=form.choice, reason=reason, by=by(request))
                    messages.success(request, f"The panel was carried over. {done}")
                    listed = reverse("admin:filing_institution_changelist")
                    return HttpResponseRedirect(f"{listed}?activity_year={done.to_year}")
            except Refusal as refusal:
                form.add_error(None, refusal.message)
            if report and why.is_bound and why.is_valid():
                messages.warning(request, "Nothing was done: the panel has changed since.")
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
        seen: Preview,
        form: ConfirmForm | None = None,
        initial: dict[str, str] | None = None,
    ) -> TemplateResponse:
        form = form or ConfirmForm(initial={**(initial or {}), "ticket": seen.ticket})
        report = seen.report
        return self._page(
            request,
            "preview",
            f"Preview of {seen.file_name}",
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


@admin.register(PanelImport)
class PanelImportAdmin(ReadOnlyAdmin):
    """What was imported, by whom and why, and what became of each row."""

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
        "A part of the file name or reason, the beginning of a SHA-256, or a whole user name or "
        "e-mail address."
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
        rows = rows_of(context["original"].details)
        return super().render_change_form(request, {**context, "rows": rows}, *args, **options)


def by(request: HttpRequest) -> Caller:
    """Return who asks, as actions know them."""
    return caller_of(cast(User, request.user))


def rows_of(details: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of an import as its page shows them: as many as one can look at."""
    skipped = details.get("skipped", [])
    return {**details, "skipped": skipped[:MOST_SKIPPED_SHOWN], "shown": MOST_SKIPPED_SHOWN}


def _file(extension: str, institutions: Any) -> HttpResponseBase:
    name = f"institutions-{timezone.localdate():%Y-%m-%d}.{extension}"
    kind = ExportForm.FORMATS[extension].CONTENT_TYPE
    if extension == "xlsx":
        file = exports.as_xlsx(institutions)
        return FileResponse(file, as_attachment=True, filename=name, content_type=kind)
    return StreamingHttpResponse(
        exports.as_csv(institutions),
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _years() -> dict[str, int]:
    last = min(timezone.localdate().year, LAST_YEAR)
    return {"from_year": last - 1, "to_year": last}
