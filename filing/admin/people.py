"""Users with their roles and sign-in identities. Only roles give rights."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.options import InlineModelAdmin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm, UserChangeForm
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from filing import access, audit
from filing.access import Caller
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.forms import REASON_MAX_LENGTH, ReasonField, find_caller
from filing.admin.guarded import GuardedAdmin
from filing.admin.institution_columns import BesideLei
from filing.admin.notes import WithNotes
from filing.admin.own_pages import WithPageLinks
from filing.admin.tables import ReadOnlyInline
from filing.audit.value_changes import describe_change
from filing.models import AuditEvent, EndedRight, Identity, Membership, SecondFactor
from filing.people import accounts, invitations, own_rights, roles, second_factors, sign_ins
from filing.people.own_rights import OwnRight

admin.site.unregister([Group, User])

RESET = AdminAction(
    name="reset_second_factor",
    label="Reset the second factor",
    does="Removes the user's authenticator app, passkeys and recovery codes, and signs the user "
    "out. Make sure that you know who asks: until the user sets up another one, the password alone "
    "is enough.",
    permission="auth.change_user",
    act="Reset the second factor of {}",
    plan=second_factors.plan_reset,
    run=second_factors.reset_factors,
)


class IdentityInline(ReadOnlyInline):
    """The identities of the user at identity providers."""

    model = Identity
    fields = ["issuer", "subject", "email_verified", "added_at", "signed_in_at", "used_at"]


class MembershipInline(BesideLei, ReadOnlyInline):
    """The institutions that the user acts for, read-only; memberships have their own list."""

    model = Membership
    fields = ["lei", "of_institution", "why", "added_at", "checked_at"]
    readonly_fields = ["of_institution", "why"]
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return access.with_grounds(super().get_queryset(request))

    @admin.display
    def why(self, membership: Membership) -> str:
        return access.grounds_for_membership(membership).why


class EndedRightInline(BesideLei, ReadOnlyInline):
    """The rights that staff ended."""

    model = EndedRight
    fields = ["lei", "of_institution", "ended_at", "ended_by", "reason", "given_again_at"]
    readonly_fields = ["of_institution"]


class SecondFactorInline(ReadOnlyInline):
    """The second factors that the user has set up, and the recovery codes left."""

    model = SecondFactor
    fields = ["kind", "name", "added_at", "last_used_at"]


class PersonPasswordForm(AdminPasswordChangeForm):
    """A new password for a user, or none, with the reason."""

    reason = ReasonField(max_length=REASON_MAX_LENGTH)

    def save(self, commit: bool = True) -> User:
        """Save it; Django tells `accounts` of a new one, but not of one that was removed."""
        with audit.set_reason(self.cleaned_data["reason"]):
            user: User = super().save(commit=commit)
            if not user.has_usable_password():
                accounts.record_new_password(user)
        return user


class PersonForm(UserChangeForm):
    """A user as staff change it. by: who does."""

    by: Caller

    def clean_email(self) -> str:
        """Refuse one's own address for another account, whose rights one would then have."""
        email: str = self.cleaned_data["email"]
        if self.has_changed() and "email" in self.changed_data:
            try:
                own_rights.require_other_address(self.instance, email, by=self.by)
            except OwnRight as refusal:
                own_rights.record_refused_right(refusal, by=self.by)
                raise ValidationError(refusal.message) from refusal
        return email


@admin.register(User)
class PersonAdmin(WithPageLinks, WithPossibleActions, WithNotes, GuardedAdmin, UserAdmin):
    """Users. Accounts are disabled, never deleted, because the audit log refers to them.

    This page gives roles and nothing more: no single permissions; superusers are made by a command
    and can be changed only by other superusers.
    """

    form = PersonForm
    staff_actions = (RESET,)
    change_password_form = PersonPasswordForm
    change_user_password_template = "admin/person_password.html"  # noqa: S105 -- a path
    list_display = ["username", "email", "first_name", "last_name", "is_active", "role", "is_staff"]
    list_filter = ["is_active", "groups", "is_superuser"]
    search_help_text = "Search by name, user name or email address."
    show_full_result_count = False
    list_per_page = 50
    readonly_fields = ["is_staff", "is_superuser", "account_state", "last_login", "date_joined"]
    labels = {"groups": "Roles", "last_login": "Last sign-in", "date_joined": "Account created"}
    help_texts = {
        "is_active": "Clear this to disable the account; accounts are never deleted.",
        "groups": "The user has the permissions of each role.",
        "is_staff": "Staff can sign in to the admin. Follows from the roles.",
        "is_superuser": "Superusers have every permission.",
    }
    filter_horizontal = ["groups"]
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Person", {"fields": ["first_name", "last_name", "email"]}),
        (
            "Rights",
            {"fields": ["is_active", "account_state", "groups", "is_staff", "is_superuser"]},
        ),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    # The user is sent the way to a password of their own.
    add_fieldsets = [
        (
            None,
            {
                "classes": ("wide",),
                "fields": ["username", "email", "usable_password", "password1", "password2"],
            },
        )
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    def things(self, request: HttpRequest) -> QuerySet[User]:
        """Return whom this user may act on: not on themselves, nor others on superusers."""
        others = super().things(request).exclude(pk=request.user.pk)
        return others if _is_superuser(request) else others.filter(is_superuser=False)

    def offered(self, request: HttpRequest, thing: User) -> list[AdminAction]:
        may_act = thing.pk != request.user.pk and (_is_superuser(request) or not thing.is_superuser)
        return super().offered(request, thing) if may_act else []

    def get_form(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """Return the form with labels and help texts in the words of this service."""
        texts = {"labels": self.labels, "help_texts": self.help_texts}
        form: Any = super().get_form(request, *args, **texts | options)
        form.by = find_caller(request)
        return form

    @admin.display(description="roles")
    def role(self, user: User) -> str:
        return ", ".join(sorted(group.name for group in user.groups.all()))

    @admin.display(description="account")
    def account_state(self, user: User) -> str:
        return accounts.describe_account_state(user)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Return the fieldsets, without the password for users who may only view."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return fieldsets
        return [(None, {"fields": ["username"]}), *list(fieldsets)[1:]]

    def get_inlines(
        self, request: HttpRequest, obj: User | None = None
    ) -> list[type[InlineModelAdmin]]:
        if obj is None:
            return []
        return [IdentityInline, SecondFactorInline, MembershipInline, EndedRightInline]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse changes of superusers by others, who could set their password."""
        if obj is not None and obj.is_superuser and not _is_superuser(request):
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm, change: bool) -> None:
        """Save the user, and apply what follows from a new address or a disabled account."""
        staff = cast(User, request.user)
        with accounts.attribute_passwords(staff):
            super().save_model(request, obj, form, change)
        if not change:
            return
        by, reason = access.caller_of(staff), form.cleaned_data["reason"]
        former = str(form.initial.get("email", obj.email))
        if obj.email.lower() != former.lower():
            accounts.record_new_email_address(obj, former=former, by=by, reason=reason)
        if "is_active" in form.changed_data:
            note = (
                accounts.record_account_enabled
                if obj.is_active
                else accounts.record_account_disabled
            )
            note(obj, by=by, reason=reason)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:  # noqa: A002 -- Django's name
        """Set the password of a user; staff who set their own go on in this session only."""
        user = cast(User, request.user)
        with transaction.atomic(), accounts.attribute_passwords(user):
            response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and id == str(user.pk):
            sign_ins.begin_sign_in(request.session, user)
        return response

    def save_related(
        self, request: HttpRequest, form: ModelForm, formsets: Any, change: bool
    ) -> None:
        """Save the roles, give or end access to the admin, and write to the audit log."""
        user, by = form.instance, cast(User, request.user)
        before = roles.list_role_names(user)
        super().save_related(request, form, formsets, change)
        after = roles.list_role_names(user)
        if before != after:
            roles.update_staff_status(user)
            if before - after:  # which access tokens name until they expire
                sign_ins.end_sign_ins(user)
                invitations.withdraw_void_invitations([user], by=access.caller_of(by))
            audit.record_event(
                AuditEvent.ROLES_CHANGED,
                by=access.caller_of(by),
                about=user.username,
                reason=describe_change("Roles", sorted(before), sorted(after)),
            )


@admin.register(Group)
class RoleAdmin(GuardedAdmin, GroupAdmin):
    """Roles, read-only: the service sets their permissions. Superusers can add other groups."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        return super().get_queryset(request).prefetch_related("permissions__content_type")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return _is_superuser(request) and (obj is None or obj.name not in roles.GROUPS)

    def get_readonly_fields(self, request: HttpRequest, obj: Group | None = None) -> list[str]:
        """Return the name of a role as read-only: tokens and code refer to it."""
        return ["name"] if obj and obj.name in roles.GROUPS else []

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return no list actions: groups are deleted one at a time, so no role is included."""
        return {}


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_active and getattr(request.user, "is_superuser", False))
