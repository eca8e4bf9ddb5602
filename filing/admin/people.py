"""People: users with their roles, and how they sign in. Rights come from roles alone."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.options import InlineModelAdmin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from filing import access, audit
from filing.access import rights
from filing.admin.notes import WithNotes
from filing.admin.readonly import ReadOnlyInline
from filing.models import Happening, Identity, Membership
from filing.people import accounts, roles, users

admin.site.unregister([Group, User])


class IdentityInline(ReadOnlyInline):
    """As whom the providers know the user."""

    model = Identity
    fields = ["issuer", "subject", "email_verified", "added_at", "signed_in_at", "used_at"]


class MembershipInline(ReadOnlyInline):
    """The institutions that the user acts for; they have a list of their own to change them in."""

    model = Membership
    fields = ["lei", "why", "added_at", "checked_at"]
    readonly_fields = ["why"]
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return rights.with_grounds(super().get_queryset(request))

    @admin.display
    def why(self, membership: Membership) -> str:
        return rights.of(membership).why


@admin.register(User)
class PersonAdmin(WithNotes, UserAdmin):
    """Who has an account. One is locked out, not deleted: the trail speaks of them.

    Nobody gives more than a role here: single permissions are not given at all, and superusers are
    made by command, and changed only by each other.
    """

    list_display = ["username", "email", "first_name", "last_name", "is_active", "role", "is_staff"]
    list_filter = ["is_active", "groups", "is_superuser"]
    search_help_text = "Name, user name or email address."
    show_full_result_count = False
    list_per_page = 50
    readonly_fields = ["is_staff", "is_superuser", "account_state", "last_login", "date_joined"]
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

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="roles")
    def role(self, user: User) -> str:
        return ", ".join(sorted(group.name for group in user.groups.all()))

    @admin.display(description="account")
    def account_state(self, user: User) -> str:
        return accounts.state_of(user)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Show nothing of the password to who may only look."""
        shown = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return shown
        return [(None, {"fields": ["username"]}), *list(shown)[1:]]

    def get_inlines(
        self, request: HttpRequest, obj: User | None = None
    ) -> list[type[InlineModelAdmin]]:
        return [IdentityInline, MembershipInline] if obj else []

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Keep superusers out of reach of others, who could set their password."""
        if obj is not None and obj.is_superuser and not _is_superuser(request):
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm, change: bool) -> None:
        """Save the user, and keep what a new address or a disabled account means."""
        super().save_model(request, obj, form, change)
        if not change:
            return
        by = access.caller_of(cast(User, request.user))
        if obj.email.lower() != str(form.initial.get("email", obj.email)).lower():
            users.note_new_address(obj, by=by)
        if "is_active" in form.changed_data:
            note = accounts.note_enabled if obj.is_active else accounts.note_disabled
            note(obj, by=by)

    def save_related(
        self, request: HttpRequest, form: ModelForm, formsets: Any, change: bool
    ) -> None:
        """Save the groups, let the user into the admin or not, and tell the trail."""
        user, by = form.instance, cast(User, request.user)
        before = roles.of(user)
        super().save_related(request, form, formsets, change)
        after = roles.of(user)
        if before != after:
            roles.follow(user)
            audit.record(
                Happening.ROLES_CHANGED,
                by=access.caller_of(by),
                about=user.username,
                reason=f"from {_named(before)} to {_named(after)}",
            )


@admin.register(Group)
class RoleAdmin(GroupAdmin):
    """What each role may do, to look at: the service grants it. Superusers add groups of others."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        return super().get_queryset(request).prefetch_related("permissions__content_type")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return _is_superuser(request) and (obj is None or obj.name not in roles.GROUPS)

    def get_readonly_fields(self, request: HttpRequest, obj: Group | None = None) -> list[str]:
        """A role keeps its name, by which tokens and code know it."""
        return ["name"] if obj and obj.name in roles.GROUPS else []

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Delete one at a time, so that no role goes along."""
        return {}


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_active and getattr(request.user, "is_superuser", False))


def _named(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"
