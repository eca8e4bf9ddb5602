"""The yearly files of public facts: which years are complete, loading, and going back.

A file is looked at before it counts, with a reason, and the one it replaces is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse

from filing import access, reference_data
from filing.admin.notes import WithNotes
from filing.admin.own_pages import OwnPages, WithOwnPages, own_page
from filing.admin.readonly import ReadOnlyAdmin
from filing.errors import Refusal
from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.models import ReferenceData
from filing.reference import listing
from filing.reference.kinds import KINDS

MAY_LOAD = "filing.add_referencedata"
MOST_FILES = 20
_PAGES = "admin/filing/referencedata"


class FilesInput(forms.FileInput):
    """Takes several files at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files, each with something in it."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Return the files, of which a form without any has none."""
        return [super(FilesField, self).clean(each, initial) for each in data or []]


class LoadForm(forms.Form):
    """Which facts, of which year or years, and where they come from."""

    kind = forms.ChoiceField(choices=[(kind.name, kind.label) for kind in KINDS.values()])
    year = forms.TypedChoiceField(
        choices=[
            ("", "As each file says"),
            *((year, str(year)) for year in range(LAST_YEAR, FIRST_YEAR - 1, -1)),
        ],
        coerce=int,
        empty_value=None,
        required=False,
        label="Data year",
        help_text="A file says its year in its first column, or else in its name.",
    )
    file = FilesField(
        required=False,
        label="Files",
        help_text=f"One file, or several of different years; at most {MOST_FILES}.",
    )
    address = forms.CharField(
        required=False,
        max_length=500,
        label="Or an address",
        help_text="An http:// or https:// address on a host that this site may fetch from.",
        widget=forms.URLInput(attrs={"class": "vTextField"}),
    )

    def clean_file(self) -> list[Any]:
        """Refuse what is too much before it is read."""
        files: list[Any] = self.cleaned_data["file"]
        if len(files) > MOST_FILES:
            raise forms.ValidationError(
                f"These are {len(files)} files; choose at most {MOST_FILES}."
            )
        for file in files:
            if file.size > reference_data.AT_MOST:
                raise forms.ValidationError(
                    f"{file.name} has more than {reference_data.AT_MOST:,} bytes."
                )
        return files

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        given = [name for name in ("file", "address") if cleaned.get(name)]
        if len(given) != 1 and not self.errors:
            raise forms.ValidationError("Choose files, or enter an address: one of the two.")
        if cleaned.get("year") and len(cleaned.get("file") or ()) > 1:
            self.add_error("year", "Several files are of several years; choose: As each file says.")
        return cleaned


class ReasonForm(forms.Form):
    """Why it is done."""

    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2, "cols": 60}),
        error_messages={"required": "Say why: one sentence for the audit log will do."},
        help_text="Kept in the audit log with your name.",
    )


@admin.register(ReferenceData)
class ReferenceDataAdmin(WithOwnPages, WithNotes, ReadOnlyAdmin):
    """What was loaded when, from where and by whom; above the list, what each year has."""

    list_display = ["kind", "year", "active", "rows", "source", "loaded_at", "loaded_by", "begins"]
    list_filter = ["kind", "year", "active"]
    date_hierarchy = "loaded_at"
    search_fields = ["source", "^sha256"]
    search_help_text = "File name, or the beginning of a SHA-256."

    @admin.display(description="SHA-256", ordering="sha256")
    def begins(self, data: ReferenceData) -> str:
        return data.sha256[:12]

    def own_pages(self) -> OwnPages:
        """Return loading and going back, each with a look beforehand."""
        return (
            ("load/", self.load, "load"),
            ("load/confirm/", self.confirm, "confirm"),
            ("load/template/<slug:facts>.txt", self.template, "template"),
            ("<int:key>/restore/", self.restore, "restore"),
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        shown = {
            "title": "Reference data",
            "kinds": list(KINDS.values()),
            "matrix": reference_data.matrix(),
            "may_load": request.user.has_perm(MAY_LOAD),
        }
        return super().changelist_view(request, shown | (extra_context or {}))

    def beside(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        return {"may_load": request.user.has_perm(MAY_LOAD)}

    def load(self, request: HttpRequest) -> HttpResponse:
        """Show the form; sent, show what each file would change, or what is wrong with it."""
        by = _loader(request)
        title = "Load reference data"
        if request.method != "POST":
            return self._page(request, "load", title, form=LoadForm(initial=request.GET.dict()))
        form = LoadForm(request.POST, request.FILES)
        if form.is_valid():
            kind, year = form.cleaned_data["kind"], form.cleaned_data["year"]
            try:
                previews = reference_data.preview(kind, year, _sources(form), by=by)
            except Refusal as error:  # only an address is fetched, and only that can be refused
                form.add_error("address", error.message)
            else:
                return self._preview(request, previews, ReasonForm())
        return self._page(request, "load", title, form=form)

    def template(self, request: HttpRequest, facts: str) -> HttpResponse:
        """Send a file of a kind with nothing but its header line."""
        _loader(request)
        if facts not in KINDS:
            raise Http404
        return HttpResponse(
            listing.header(KINDS[facts].columns(LAST_YEAR)),
            content_type="text/plain; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{facts}-template.txt"'},
        )

    def confirm(self, request: HttpRequest) -> HttpResponse:
        """Load the files that were previewed."""
        by = _loader(request)
        if request.method != "POST":
            return redirect("admin:filing_referencedata_load")
        form, tokens = ReasonForm(request.POST), request.POST.getlist("token")
        try:
            if not form.is_valid():
                return self._preview(request, reference_data.look_again(tokens, by=by), form)
            reports = reference_data.confirm(tokens, by=by, reason=form.cleaned_data["reason"])
        except Refusal as error:
            messages.error(request, error.message)
            return redirect("admin:filing_referencedata_load")
        for report in reports:
            if report.unchanged:
                label = f"{KINDS[report.kind].label} of {report.year}"
                messages.info(
                    request, f"The {label} is unchanged: {report.source} is in use already."
                )
            else:
                rows = f"{report.rows:,} rows from {report.source}"
                self._tell(request, report.kind, report.year, f"is loaded, {rows}")
        return redirect("admin:filing_referencedata_changelist")

    def restore(self, request: HttpRequest, key: int) -> HttpResponse:
        """Let a file count again, after a look at how it differs from the one that counts."""
        by = _loader(request)
        again = get_object_or_404(ReferenceData, pk=key)
        form = ReasonForm(request.POST or None)
        if form.is_valid():
            try:
                reference_data.restore(again, by=by, reason=form.cleaned_data["reason"])
            except Refusal as error:
                messages.error(request, error.message)
            else:
                self._tell(request, again.kind, again.year, f"counts again: {again.source}")
            return redirect("admin:filing_referencedata_changelist")
        title = f"Count this one again: {KINDS[again.kind].label} {again.year}"
        difference = reference_data.against_present(again)
        return self._page(
            request, "restore", title, form=form, original=again, difference=difference
        )

    def _tell(self, request: HttpRequest, kind: str, year: int, what: str) -> None:
        messages.success(request, f"The {KINDS[kind].label} of {year} {what}.")
        if number := reference_data.checked_before(kind, year):
            messages.warning(
                request,
                f"{number:,} submissions that are not signed were checked with what counted "
                "before. Their edits can be run again from the list of submissions.",
            )

    def _preview(
        self, request: HttpRequest, previews: Sequence[reference_data.Preview], form: ReasonForm
    ) -> HttpResponse:
        names = {f"{each.kind.label} {each.year or ''}".strip() for each in previews}
        title = names.pop() if len(names) == 1 else f"{len(previews)} files"
        good = [each for each in previews if each.token]
        return self._page(
            request, "preview", f"Preview: {title}", previews=previews, good=good, form=form
        )

    def _page(self, request: HttpRequest, name: str, title: str, **shown: Any) -> TemplateResponse:
        kinds = {
            "kinds": list(KINDS.values()),
            "layouts": [(kind, kind.columns(LAST_YEAR)) for kind in KINDS.values()],
        }
        return own_page(self, request, f"{_PAGES}/{name}.html", title, kinds | shown)


def _sources(form: LoadForm) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file, one at a time: they may be large."""
    if address := form.cleaned_data["address"]:
        yield address, reference_data.from_address(address)
    for upload in form.cleaned_data["file"]:
        yield upload.name, upload.read()


def _loader(request: HttpRequest) -> access.Caller:
    """Return who loads.

    Raises: PermissionDenied.
    """
    if not request.user.has_perm(MAY_LOAD):
        raise PermissionDenied(MAY_LOAD)
    return access.caller_of(cast(User, request.user))
