"""Reference data: which years are complete, loading files, and restoring earlier ones.

The form takes files of several years, or an address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html

from filing import access
from filing.admin.forms import ReasonForm, find_caller
from filing.admin.notes import WithNotes
from filing.admin.own_pages import OwnPages, WithPageLinks, render_own_page, show_again
from filing.admin.tables import ReadOnlyAdmin
from filing.errors import Refusal
from filing.files import responses
from filing.lar.years import YearStage, newest_year, supported_years
from filing.models import ReferenceData
from filing.previews import digest_preview
from filing.reference import listing
from filing.reference.kinds import REFERENCE_KINDS
from filing.reference_data import loading
from filing.scanning import ScannedFileField, set_sender
from filing.submissions import reference_checks

MAX_FILES = 20
MAY_LOAD = "filing.add_referencedata"
_PAGES = "admin/filing/referencedata"


class FilesInput(forms.FileInput):
    """A file input for several files."""

    allow_multiple_selected = True


class FilesField(ScannedFileField):
    """Any number of files, none of them empty."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Return the files; an empty list if none were sent."""
        return [super(FilesField, self).clean(file, initial) for file in data or []]


def _years() -> list[tuple[int | str, str]]:
    years = reversed(supported_years(YearStage.DRAFT))
    return [("", "As in each file"), *((year, str(year)) for year in years)]


class ReferenceLoadForm(forms.Form):
    """The kind of reference data, its year, and its files or address."""

    kind = forms.ChoiceField(choices=[(kind.name, kind.label) for kind in REFERENCE_KINDS.values()])
    year = forms.TypedChoiceField(
        choices=_years,
        coerce=int,
        empty_value=None,
        required=False,
        label="Data year",
        help_text="The year is in the first column of a file, or in its name.",
    )
    file = FilesField(
        required=False,
        label="Files",
        help_text=f"Choose one file, or several of different years; at most {MAX_FILES}.",
    )
    address = forms.CharField(
        required=False,
        max_length=500,
        label="Or an address",
        help_text="An http:// or https:// address on a host that this site may fetch from.",
        widget=forms.URLInput(attrs={"class": "vTextField"}),
    )

    def clean_file(self) -> list[Any]:
        """Refuse too many or too large files, before they are read."""
        files: list[Any] = self.cleaned_data["file"]
        if len(files) > MAX_FILES:
            raise forms.ValidationError(
                f"You chose {len(files)} files; choose at most {MAX_FILES}."
            )
        for file in files:
            if file.size > loading.MAX_BYTES:
                raise forms.ValidationError(
                    f"{file.name} is larger than {loading.MAX_BYTES:,} bytes, the most accepted."
                )
        return files

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        sources = [name for name in ("file", "address") if cleaned.get(name)]
        if len(sources) != 1 and not self.errors:
            raise forms.ValidationError("Either choose files or enter an address.")
        if cleaned.get("year") and len(cleaned.get("file") or ()) > 1:
            self.add_error("year", "For several files, select “As in each file”.")
        return cleaned


@admin.register(ReferenceData)
class ReferenceDataAdmin(WithPageLinks, WithNotes, ReadOnlyAdmin):
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
            "kinds": list(REFERENCE_KINDS.values()),
            "matrix": loading.list_availability(),
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
            return self._page(
                request, "load", title, form=ReferenceLoadForm(initial=request.GET.dict())
            )
        form = set_sender(ReferenceLoadForm(request.POST, request.FILES), by)
        if form.is_valid():
            kind, year = form.cleaned_data["kind"], form.cleaned_data["year"]
            try:
                previews = loading.preview_files(kind, year, _sources(form), by=by)
            except Refusal as error:  # only fetching from an address can be refused
                form.add_error("address", error.message)
            else:
                return self._preview(request, previews, ReasonForm())
        return self._page(request, "load", title, form=form)

    def template(self, request: HttpRequest, facts: str) -> HttpResponse:
        """Send a template: a file with only the header line."""
        _loader(request)
        if facts not in REFERENCE_KINDS:
            raise Http404
        header = listing.format_list_header(
            REFERENCE_KINDS[facts].columns(newest_year(YearStage.DRAFT))
        )
        empty = HttpResponse(header, content_type="text/plain; charset=utf-8")
        return responses.make_attachment(f"{facts}-template.txt", empty)

    def confirm(self, request: HttpRequest) -> HttpResponse:
        """Load the previewed files."""
        by = _loader(request)
        if request.method != "POST":
            return redirect("admin:filing_referencedata_load")
        form, tokens = ReasonForm(request.POST), request.POST.getlist("token")
        try:
            if form.is_valid():
                with show_again(request):
                    digest = request.POST.get("digest", "")
                    reports = loading.confirm_previews(
                        tokens, by=by, digest=digest, **form.cleaned_data
                    )
                    return self._show_loaded(request, reports)
            return self._preview(request, loading.repeat_previews(tokens, by=by), form)
        except Refusal as error:
            messages.error(request, error.message)
            return redirect("admin:filing_referencedata_load")

    def _show_loaded(
        self, request: HttpRequest, reports: Sequence[loading.LoadReport]
    ) -> HttpResponse:
        for report in reports:
            if report.unchanged:
                label = f"{REFERENCE_KINDS[report.kind].label} of {report.year}"
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
                loading.restore_with_reason(
                    data,
                    by=by,
                    reason=form.cleaned_data["reason"],
                    digest=request.POST.get("digest", ""),
                )
            except Refusal as error:
                messages.error(request, error.message)
                data.refresh_from_db()
            else:
                self._report_success(
                    request, data.kind, data.year, f"is restored from {data.source}"
                )
                return redirect("admin:filing_referencedata_changelist")
        title = f"Restore the {REFERENCE_KINDS[data.kind].label} of {data.year}"
        return self._page(
            request,
            "restore",
            title,
            form=form,
            original=data,
            difference=loading.compare_with_active(data),
            digest=digest_preview(*loading.list_restore_facts(data)),
        )

    def _report_success(self, request: HttpRequest, kind: str, year: int, what: str) -> None:
        messages.success(request, f"The {REFERENCE_KINDS[kind].label} of {year} {what}.")
        years = reference_checks.find_years_with_census(year)
        if number := reference_checks.find_checked_with_former_data(kind, years=years).count():
            messages.warning(
                request,
                format_html(
                    '{} unsigned submissions were checked with the previous file. <a href="{}">Run '
                    "their edits again</a>.",
                    f"{number:,}",
                    reverse("admin:filing_submission_run_former_again"),
                ),
            )

    def _preview(
        self, request: HttpRequest, previews: Sequence[loading.ReferencePreview], form: ReasonForm
    ) -> HttpResponse:
        names = {f"{preview.kind.label} {preview.year or ''}".strip() for preview in previews}
        title = names.pop() if len(names) == 1 else f"{len(previews)} files"
        loadable = [preview for preview in previews if preview.token]
        act = f"Load {len(loadable):,} of {len(previews):,} files"
        if len(previews) == 1:
            (file,) = previews
            act = f"{'Replace' if file.before else 'Load'} the {file.kind.label} of {file.year}"
        tokens = [preview.token for preview in loadable]
        digest = digest_preview(*loading.list_load_facts(tokens, by=find_caller(request)))
        context = {"previews": previews, "loadable": loadable, "form": form, "act": act}
        context["digest"] = digest
        return self._page(request, "preview", f"Preview: {title}", **context)

    def _page(
        self, request: HttpRequest, name: str, title: str, **context: Any
    ) -> TemplateResponse:
        kinds = {
            "kinds": list(REFERENCE_KINDS.values()),
            "layouts": [
                (kind, kind.columns(newest_year(YearStage.DRAFT)))
                for kind in REFERENCE_KINDS.values()
            ],
        }
        return render_own_page(self, request, f"{_PAGES}/{name}.html", title, kinds | context)


def _sources(form: ReferenceLoadForm) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file, one at a time because they may be large."""
    if address := form.cleaned_data["address"]:
        yield address, loading.fetch_file(address)
    for upload in form.cleaned_data["file"]:
        yield upload.name, upload.read()


def _loader(request: HttpRequest) -> access.Caller:
    """Return the user of the request as a caller who may load.

    Raises: PermissionDenied.
    """
    if not request.user.has_perm(MAY_LOAD):
        raise PermissionDenied(MAY_LOAD)
    return find_caller(request)
