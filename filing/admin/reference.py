"""The yearly files of public facts: which years are complete, loading, and going back.

A file is looked at before it counts, with a reason, and the one it replaces is kept.
"""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse

from filing import access, reference_data
from filing.admin.notes import WithNotes
from filing.admin.own_pages import OwnPages, WithOwnPages
from filing.admin.readonly import ReadOnlyAdmin
from filing.errors import Refusal
from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.models import ReferenceData
from filing.reference.kinds import KINDS

MAY_LOAD = "filing.add_referencedata"
_PAGES = "admin/filing/referencedata"


class LoadForm(forms.Form):
    """Which facts, of which year, and where they come from."""

    kind = forms.ChoiceField(choices=[(kind.name, kind.label) for kind in KINDS.values()])
    year = forms.TypedChoiceField(
        choices=[(year, str(year)) for year in range(LAST_YEAR, FIRST_YEAR - 1, -1)],
        coerce=int,
        label="Data year",
    )
    file = forms.FileField(required=False, help_text="A text file in the layout told below.")
    address = forms.CharField(
        required=False,
        max_length=500,
        label="Or its address",
        help_text="http:// or https://, of a host that this site may ask.",
        widget=forms.URLInput(attrs={"class": "vTextField"}),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file and file.size > reference_data.AT_MOST:
            raise forms.ValidationError(f"The file has more than {reference_data.AT_MOST:,} bytes.")
        return file

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        given = [name for name in ("file", "address") if cleaned.get(name)]
        if len(given) != 1 and not self.errors:
            raise forms.ValidationError("Choose a file, or give its address: one of the two.")
        return cleaned


class ReasonForm(forms.Form):
    """Why it is done."""

    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2, "cols": 60}),
        error_messages={"required": "Say why: one sentence for the trail will do."},
        help_text="Kept in the trail with your name.",
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
        """Show the form; sent, show what the file would change, or what is wrong with it."""
        by = _loader(request)
        title = "Load reference data"
        if request.method != "POST":
            return self._page(request, "load", title, form=LoadForm(initial=request.GET.dict()))
        form = LoadForm(request.POST, request.FILES)
        if form.is_valid():
            asked = form.cleaned_data
            upload, address = asked["file"], asked["address"]
            source = upload.name if upload else address
            try:
                data = upload.read() if upload else reference_data.from_address(address)
                found = reference_data.preview(
                    asked["kind"], asked["year"], data, source=source, by=by
                )
            except Refusal as error:
                form.add_error("file" if upload else "address", error.message)
            else:
                return self._preview(request, found, ReasonForm())
        return self._page(request, "load", title, form=form)

    def confirm(self, request: HttpRequest) -> HttpResponse:
        """Let the file count that was looked at."""
        by = _loader(request)
        if request.method != "POST":
            return redirect("admin:filing_referencedata_load")
        form, token = ReasonForm(request.POST), request.POST.get("token", "")
        try:
            if not form.is_valid():
                return self._preview(request, reference_data.look_again(token, by=by), form)
            report = reference_data.confirm(token, by=by, reason=form.cleaned_data["reason"])
        except Refusal as error:
            messages.error(request, error.message)
            return redirect("admin:filing_referencedata_load")
        if report.unchanged:
            messages.info(request, "Nothing was changed: this very file is loaded already.")
        else:
            found = f"{report.rows:,} rows from {report.source}"
            self._tell(request, report.kind, report.year, f"is loaded, {found}")
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
        self, request: HttpRequest, found: reference_data.Preview, form: ReasonForm
    ) -> HttpResponse:
        title = f"Preview: {found.kind.label} {found.year}"
        return self._page(
            request, "preview", title, preview=found, difference=found.difference, form=form
        )

    def _page(self, request: HttpRequest, name: str, title: str, **shown: Any) -> TemplateResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": title,
            "kinds": list(KINDS.values()),
            **shown,
        }
        return TemplateResponse(request, f"{_PAGES}/{name}.html", context)


def _loader(request: HttpRequest) -> access.Caller:
    """Return who loads.

    Raises: PermissionDenied.
    """
    if not request.user.has_perm(MAY_LOAD):
        raise PermissionDenied(MAY_LOAD)
    return access.caller_of(cast(User, request.user))
