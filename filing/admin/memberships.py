"""Memberships: which users act for which institutions, why and since when."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from filing import access, audit
from filing.access import rights
from filing.admin.autocomplete import WithAutocomplete
from filing.admin.notes import WithNotes
from filing.admin.validation import validated
from filing.models import AuditEvent, Membership
from filing.people import institutions, memberships

_FIELDS = ["user", "lei", "why", "email", "since", "checked_at"]


class MembershipForm(forms.ModelForm):
    """A membership with a valid LEI. by: the user who adds it."""

    by: User

    def clean_user(self) -> User:
        """Refuse staff who add an institution for themselves."""
        user: User = self.cleaned_data["user"]
        if user == self.by:
            raise ValidationError("You cannot add institutions for yourself; ask another operator.")
        return user

    def clean_lei(self) -> str:
        return validated(institutions.check_lei, self.cleaned_data["lei"])


@admin.register(Membership)
class MembershipAdmin(WithAutocomplete, WithNotes, admin.ModelAdmin):
    """Memberships, found by user or LEI. They are added or removed, never changed."""

    form = MembershipForm
    list_display = ["user", "lei", "why", "since", "checked_at"]
    list_filter = ["source"]
    list_select_related = ["user"]
    autocomplete_fields = ["user"]
    readonly_fields = ["why", "email", "since", "checked_at"]
    actions = ["check_now"]
    date_hierarchy = "added_at"
    search_fields = ["user__username", "user__email", "^lei"]
    search_help_text = "Search by user name or email address, or by the beginning of an LEI."
    show_full_result_count = False

    def get_form(self, request: HttpRequest, *args: Any, **options: Any) -> type[MembershipForm]:
        """Return the form class for this request; it knows the user who fills it in."""
        form = cast(type[MembershipForm], super().get_form(request, *args, **options))
        form.by = cast(User, request.user)
        return form

    def has_change_permission(self, request: HttpRequest, obj: Membership | None = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return rights.with_grounds(super().get_queryset(request))

    def get_fields(self, request: HttpRequest, obj: Membership | None = None) -> Any:
        """Return only user and LEI for a new membership, all fields for an existing one."""
        return _FIELDS if obj else _FIELDS[:2]

    @admin.display(description="why", ordering="source")
    def why(self, membership: Membership) -> str:
        return rights.of(membership).why

    @admin.display(description="since", ordering="added_at")
    def since(self, membership: Membership) -> datetime:
        return membership.added_at

    @admin.action(description="Check the selected memberships now", permissions=["delete"])
    def check_now(self, request: HttpRequest, selected: QuerySet[Membership]) -> None:
        """End the selected memberships that no longer hold, as the nightly check does."""
        keys = list(selected.values_list("pk", flat=True))
        ended = memberships.check(
            Membership.objects.filter(pk__in=keys), by=access.caller_of(cast(User, request.user))
        )
        text = f"{len(keys):,} memberships checked, {ended:,} ended."
        self.message_user(request, text, messages.SUCCESS)

    def save_model(
        self, request: HttpRequest, obj: Membership, form: forms.ModelForm, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        _record(AuditEvent.MEMBERSHIP_ADDED, obj, request)

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        _record(AuditEvent.MEMBERSHIP_REMOVED, obj, request)
        super().delete_model(request, obj)

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        for membership in queryset.select_related("user"):
            self.delete_model(request, membership)


def _record(happening: AuditEvent, membership: Membership, request: HttpRequest) -> None:
    audit.record(
        happening,
        by=access.caller_of(cast(User, request.user)),
        lei=membership.lei,
        about=f"{membership.user} ({membership.source})",
    )
