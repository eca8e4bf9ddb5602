"""Edits over all submissions: those triggered or not checked, and those withdrawn for a year."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse

from filing import day_hours
from filing.admin import search
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.forms import WithRefusals, find_caller
from filing.admin.institution_columns import BesideSubmission
from filing.admin.own_pages import WithPageLinks
from filing.admin.tables import SUBMISSION, KnownValuesFilter, ReadOnlyAdmin
from filing.edits.edit import CODE, EditLevel
from filing.errors import Refusal
from filing.lar.years import newest_year
from filing.models import EditResult, WithdrawnEdit
from filing.seasons import rulebooks

_ASKED = ["filing_year", "code", "since", "reason"]
PUT_BACK = AdminAction(
    name="put_back",
    label="Run this edit again",
    does="Runs the edit again, also on files that are not signed.",
    permission="filing.change_withdrawnedit",
    act="Run {} again",
    plan=rulebooks.plan_put_back,
    run=rulebooks.put_back_edit,
)


class WithdrawForm(forms.ModelForm):
    """The edit, the year, and the first day on which it is not run."""

    code = forms.CharField(
        max_length=12, strip=True, help_text="Such as Q600. The edits reference lists all."
    )
    reason = forms.CharField(
        max_length=rulebooks.LONGEST_REASON,
        help_text="Filers read it beside their results, and the audit log keeps it.",
        widget=forms.TextInput(attrs={"size": 80}),
    )

    def clean_code(self) -> str:
        return str(self.cleaned_data["code"]).upper()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if all(cleaned.get(name) for name in ("filing_year", "code", "since")):
            try:
                rulebooks.plan_withdrawal(cleaned["filing_year"], cleaned["code"], cleaned["since"])
            except Refusal as refusal:
                self.add_error("code", refusal.message)
        return cleaned


@admin.register(WithdrawnEdit)
class WithdrawnEditAdmin(WithPageLinks, WithRefusals, WithPossibleActions, ReadOnlyAdmin):
    """Edits that are not run for a year from a day on, why, and whether they were put back."""

    staff_actions = (PUT_BACK,)
    list_display = ["code", "filing_year", "since", "reason", "withdrawn_by", "put_back_at"]
    list_filter = ["filing_year"]
    list_select_related = ["filing_year"]
    search_fields = ["=code"]
    search_help_text = "Search by a complete code, such as Q600."
    fields = [*_ASKED, "withdrawn_at", "withdrawn_by", "put_back_at"]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("filing.add_withdrawnedit"))

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any
    ) -> Any:
        if obj is None:
            options |= {"form": WithdrawForm, "fields": _ASKED}
        return super().get_form(request, obj, change, **options)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields if obj else _ASKED

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return super().get_readonly_fields(request, obj) if obj else ()

    def formfield_for_dbfield(self, db_field: Any, request: Any, **options: Any) -> Any:
        """Return the field of a column; the year without links to add or change one."""
        field: Any = super().formfield_for_dbfield(db_field, request, **options)
        if db_field.name == "filing_year":
            field.widget = field.widget.widget
        return field

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        if not context.get("original"):
            context["title"] = "Withdraw an edit"
        return super().render_change_form(request, context, *args, **options)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        usual = {"filing_year": newest_year(), "since": day_hours.today()}
        return {**usual, **super().get_changeform_initial_data(request)}

    def save_model(
        self, request: HttpRequest, obj: WithdrawnEdit, form: forms.ModelForm, change: bool
    ) -> None:
        """Withdraw the edit, with an entry of the audit log, and say what follows."""
        by = find_caller(request)
        plan = rulebooks.plan_withdrawal(obj.filing_year, obj.code, obj.since)
        saved = rulebooks.withdraw_edit(
            obj.filing_year, obj.code, since=obj.since, by=by, reason=obj.reason
        )
        obj.pk = saved.pk
        obj._state.adding = False
        messages.info(request, plan)


class LevelFilter(KnownValuesFilter):
    """Filters by what an edit checks: the transmittal sheet, a record or the file."""

    title = "level"
    parameter_name = "level"
    values = tuple((level.value, level.value) for level in EditLevel)


class NotRunFilter(admin.SimpleListFilter):
    """Filters the edits that were not checked because data they need was missing."""

    title = "not checked"
    parameter_name = "not_run"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1", "Yes")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[EditResult]
    ) -> QuerySet[EditResult]:
        return queryset.filter(not_run__gt="") if self.value() == "1" else queryset


@admin.register(EditResult)
class EditResultAdmin(BesideSubmission, ReadOnlyAdmin):
    """The submissions in which an edit was triggered or not checked."""

    related = SUBMISSION
    list_display = ["code", "kind", "level", "total", "submission", "of_institution", "not_run"]
    list_filter = ["kind", LevelFilter, NotRunFilter]
    search_fields = ["code"]  # turns the search on; search_condition decides where to look
    search_help_text = (
        "Search by complete edit code, LEI, institution, receipt number or file name."
    )
    ordering = ["-id"]
    sortable_by = ()

    def search_condition(self, term: search.SearchTerm) -> Q:
        if CODE.fullmatch(term.value.upper()):
            return Q(code=term.value.upper())
        return search.match_rows(EditResult, term)
