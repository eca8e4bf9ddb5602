"""Institutions of the panel, by activity year."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from filing.access import Caller
from filing.admin.actions import AdminAction, WithActions
from filing.admin.forms import LeiField, clean_field, find_caller
from filing.admin.guarded import GuardedAdmin
from filing.admin.institution_events import WithEvents
from filing.admin.notes import WithNotes
from filing.admin.own_pages import WithPageLinks, render_own_page
from filing.admin.panel import PanelPages
from filing.models import Institution
from filing.panel import history
from filing.people import institutions, memberships, own_rights
from filing.people.own_rights import OwnRight
from filing.periods import filings, legal_holds

ENTRIES_PER_PAGE = 50
HOLD = AdminAction(
    name="hold",
    label="Place a legal hold",
    does="Keeps everything of the institution, of all years, until the hold is lifted.",
    permission="filing.add_legalhold",
    act="Place a legal hold on {}",
    plan=legal_holds.plan_hold_institution,
    run=legal_holds.hold_institution,
)


class InstitutionForm(forms.ModelForm):
    """An institution as staff enter it, with the checks of the panel import. by: who enters it."""

    by: Caller

    lei = LeiField()
    email_domains = forms.CharField(
        required=False,
        help_text="Email domains of the institution's users, separated by commas.",
        widget=forms.TextInput(attrs={"size": 80}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["email_domains"] = ", ".join(self.instance.email_domains)

    def clean_tax_id(self) -> str:
        return clean_field(institutions.check_tax_id, self.cleaned_data["tax_id"])

    def clean_email_domains(self) -> list[str]:
        domains: list[str] = clean_field(
            institutions.check_domains, self.cleaned_data["email_domains"]
        )
        lei = self.instance.lei or self.cleaned_data.get("lei", "")
        try:
            own_rights.require_other_domain(lei, domains, by=self.by)
        except OwnRight as refusal:
            own_rights.record_refused_right(refusal, by=self.by)
            raise forms.ValidationError(refusal.message) from refusal
        return domains


@admin.register(Institution)
class InstitutionAdmin(PanelPages, WithEvents, WithPageLinks, WithActions, WithNotes, GuardedAdmin):
    """Institutions by year, found by name, LEI or TIN. Each change has a reason."""

    how_rows_come = "Import a panel file, or add one."
    staff_actions = (HOLD,)
    form = InstitutionForm
    object_history_template = "admin/filing/institution/history.html"
    list_display = [
        "name",
        "lei",
        "activity_year",
        "agency",
        "tax_id",
        "state",
        "quarterly_filer",
        "hmda_filer",
    ]
    list_filter = ["activity_year", "agency", "quarterly_filer", "hmda_filer", "is_test"]
    search_fields = ["^lei", "name", "^tax_id"]
    search_help_text = "Search by name, or by the beginning of the LEI or TIN."
    show_full_result_count = False
    list_per_page = 50
    readonly_fields = [
        "hmda_filer",
        "quarterly_filer_has_filed_q1",
        "quarterly_filer_has_filed_q2",
        "quarterly_filer_has_filed_q3",
    ]
    fieldsets = [
        (None, {"fields": ["activity_year", "lei", "name", "tax_id", "agency"]}),
        ("Users", {"fields": ["email_domains"]}),
        ("Filing", {"fields": ["quarterly_filer", "is_test", *readonly_fields]}),
        ("Location", {"fields": ["city", "state"]}),
        (
            "Company",
            {
                "fields": [
                    "institution_type",
                    "other_lender_code",
                    "assets",
                    "rssd",
                    "parent_rssd",
                    "parent_name",
                    "top_holder_rssd",
                    "top_holder_name",
                    "institution_id_2017",
                ]
            },
        ),
        ("Notes", {"fields": ["notes"]}),
    ]
    delete_confirmation_template = "admin/filing/institution/delete_confirmation.html"

    def get_form(self, request: HttpRequest, *args: Any, **options: Any) -> type[InstitutionForm]:
        """Return the form class for this request; it knows the user who fills it in."""
        form = cast(type[InstitutionForm], super().get_form(request, *args, **options))
        form.by = find_caller(request)
        return form

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Delete a record, unless that of an earlier year gives a right to who deletes it."""
        by = find_caller(request)
        try:
            with own_rights.record_own_rights(by):
                return super().delete_view(request, object_id, extra_context)
        except OwnRight as refusal:
            return self._back(request, "../change/", f"Nothing was deleted. {refusal.message}")

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return no list actions: institutions are deleted one at a time, with a reason."""
        return {}

    def get_readonly_fields(
        self, request: HttpRequest, obj: Institution | None = None
    ) -> list[str]:
        """Return LEI and year as read-only once filings may refer to the institution."""
        return [*self.readonly_fields, *(["activity_year", "lei"] if obj else [])]

    def save_model(
        self, request: HttpRequest, obj: Institution, form: forms.ModelForm, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        _check_memberships(obj, request)
        if change and "quarterly_filer" not in form.changed_data:
            return
        new = filings.expect_filings(
            [obj],
            by=find_caller(request),
            reason=form.cleaned_data["reason"],
            quarters_only=change,
        )
        if new:
            messages.success(request, filings.describe_new_filings(new))

    def delete_model(self, request: HttpRequest, obj: Institution) -> None:
        with own_rights.refuse_own_rights([obj.lei], by=find_caller(request)):
            super().delete_model(request, obj)
        _check_memberships(obj, request)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show each change of the institution in all its years, newest first."""
        institution = get_object_or_404(Institution, pk=object_id)
        if not self.has_view_permission(request, institution):
            raise PermissionDenied
        page = Paginator(history.list_entries(institution.lei), ENTRIES_PER_PAGE).get_page(
            request.GET.get("p")
        )
        context = {
            "object": institution,
            "page": page,
            "editions": history.list_editions(page, lei=institution.lei),
        }
        title = f"History of {institution.name}"
        return render_own_page(self, request, self.object_history_template, title, context)


def _check_memberships(institution: Institution, request: HttpRequest) -> None:
    memberships.check_institution_memberships([institution.lei], by=find_caller(request))
