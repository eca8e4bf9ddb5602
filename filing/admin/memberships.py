"""Memberships and personal tokens: who acts for which institutions, why, since when."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseRedirect

from filing import access
from filing.admin.actions import AdminAction, WithActions
from filing.admin.forms import (
    REASON_MAX_LENGTH,
    LeiField,
    ReasonField,
    ReasonForm,
    WithAutocomplete,
    find_caller,
)
from filing.admin.institution_columns import BesideLei
from filing.admin.notes import WithNotes
from filing.admin.own_pages import WithPageLinks
from filing.admin.tables import ReadOnlyAdmin
from filing.admin.why_not_sign import WithSigningAnswer
from filing.models import Membership, PersonalToken
from filing.people import institutions, memberships, own_rights, personal_tokens, rosters
from filing.people.invitations import roles_of
from filing.people.own_rights import OwnRight

_FIELDS = [
    *("user", "lei", "of_institution", "why", "roles", "email", "added_at", "added_by"),
    *("until", "confirmed_at", "checked_at"),
]
_NEW = ["user", "lei", "reason"]
END = AdminAction(
    name="end",
    label="End the right to file",
    does="The user can no longer file for the institution, is signed out, and gets an email. Staff "
    "can give the right again.",
    permission="filing.delete_membership",
    act="End {}",
    plan=memberships.plan_right_end,
    run=memberships.end_right,
)

MAKE_ADMINISTRATOR = AdminAction(
    name="make_administrator",
    label="Make administrator of the institution",
    does="The user looks after the people of the institution, its record, and the organizations "
    "that act for it. All people of the institution get an email.",
    permission="filing.change_membership",
    act="Make administrator: {}",
    plan=rosters.plan_make_administrator,
    run=rosters.make_administrator,
)


class MembershipForm(forms.ModelForm):
    """A membership with a valid LEI, and the reason. by: the user who adds it, for others only."""

    by: User
    lei = LeiField()
    reason = ReasonField(max_length=REASON_MAX_LENGTH)

    def clean_user(self) -> User:
        """Refuse staff who add an institution for themselves."""
        user: User = self.cleaned_data["user"]
        by = access.caller_of(self.by)
        try:
            own_rights.require_other_person(user, by=by)
        except OwnRight as refusal:
            own_rights.record_refused_right(refusal, by=by)
            raise ValidationError(refusal.message) from refusal
        return user


@admin.register(Membership)
class MembershipAdmin(
    BesideLei,
    WithPageLinks,
    WithAutocomplete,
    WithSigningAnswer,
    WithActions,
    WithNotes,
    admin.ModelAdmin,
):
    """Memberships, found by user or LEI. They are added or ended for a reason, never changed."""

    how_rows_come = "Users get them from their email domain; you can add others for a reason."
    staff_actions = (END, MAKE_ADMINISTRATOR)
    form = MembershipForm
    list_display = ["user", "lei", "of_institution", "roles", "why", "since", "checked_at"]
    list_filter = [
        "source",
        "is_preparer",
        "is_signer",
        ("administrator_since", admin.EmptyFieldListFilter),
    ]
    list_select_related = ["user"]
    autocomplete_fields = ["user"]
    readonly_fields = _FIELDS[2:]
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
        return access.with_grounds(super().get_queryset(request))

    def get_fields(self, request: HttpRequest, obj: Membership | None = None) -> Any:
        """Return user, LEI and reason for a new membership, all facts for an existing one."""
        return _FIELDS if obj else _NEW

    @admin.display(description="roles")
    def roles(self, membership: Membership) -> str:
        return roles_of(membership).in_words

    @admin.display(description="why", ordering="source")
    def why(self, membership: Membership) -> str:
        return access.grounds_for_membership(membership).why

    @admin.display(description="since", ordering="added_at")
    def since(self, membership: Membership) -> datetime:
        return membership.added_at

    @admin.action(description="Check the selected memberships now", permissions=["delete"])
    def check_now(self, request: HttpRequest, selected: QuerySet[Membership]) -> None:
        """End the selected memberships that no longer hold, as the nightly check does."""
        keys = list(selected.values_list("pk", flat=True))
        ended = memberships.check_memberships(
            Membership.objects.filter(pk__in=keys), by=find_caller(request)
        )
        text = f"{len(keys):,} memberships checked, {ended:,} ended."
        self.message_user(request, text, messages.SUCCESS)

    def save_model(
        self, request: HttpRequest, obj: Membership, form: forms.ModelForm, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        memberships.give_right(
            obj.user, obj.lei, by=find_caller(request), reason=form.cleaned_data["reason"]
        )

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the list actions without Django's own deletion, which asks for no reason."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        memberships.end_right(obj, by=find_caller(request), reason=request.POST["reason"])

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """End the right for a reason."""
        form = ReasonForm(request.POST or None)
        if request.method == "POST" and not form.is_valid() and self.has_delete_permission(request):
            self.message_user(request, "Nothing was ended: enter a reason.", messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())
        return super().delete_view(request, object_id, {**(extra_context or {}), "form": form})


@admin.register(PersonalToken)
class PersonalTokenAdmin(WithNotes, ReadOnlyAdmin):
    """Personal tokens, which users create on their profile. Only a hash is stored, never shown."""

    how_rows_come = "Users create them on their profile."
    related = ["user"]
    list_display = [
        "name",
        "start",
        "user",
        "institutions",
        "is_prepare_only",
        "made_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    ]
    list_filter = [
        ("revoked_at", admin.EmptyFieldListFilter),
        "is_prepare_only",
        "expires_at",
        "last_used_at",
    ]
    date_hierarchy = "made_at"
    fields = [
        "name",
        "start",
        "user",
        "institutions",
        "is_prepare_only",
        "made_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    ]
    search_fields = ["^start", "name", "user__username", "user__email", "leis"]
    search_help_text = "Search by the beginning of the token, its name, its user or an LEI."
    actions = ["revoke"]

    def add_column_data(self, rows: list[PersonalToken]) -> None:
        names = institutions.find_institution_names({lei for row in rows for lei in row.leis})
        for row in rows:
            row.names_by_lei = names  # type: ignore[attr-defined]

    @admin.display(description="institutions")
    def institutions(self, token: PersonalToken) -> str:
        names = getattr(token, "names_by_lei", None)
        if names is None:  # on the page of one token
            names = institutions.find_institution_names(token.leis)
        return ", ".join(" ".join(filter(None, (names.get(lei), lei))) for lei in token.leis)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("filing.change_personaltoken")

    @admin.action(description="Permanently revoke the selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, selected: QuerySet[PersonalToken]) -> None:
        by = find_caller(request)
        revoked = 0
        for token in selected:
            if token.revoked_at is None:
                personal_tokens.revoke_token(token.user, token.pk, by=by)
                revoked += 1
        self.message_user(request, f"{revoked} revoked.", messages.SUCCESS)
        if skipped := len(selected) - revoked:
            self.message_user(request, f"{skipped} skipped: already revoked.", messages.WARNING)
