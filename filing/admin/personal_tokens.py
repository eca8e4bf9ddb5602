"""Personal tokens: their users, institutions and last use. Staff can revoke them."""

from __future__ import annotations

from typing import cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from filing import access
from filing.admin.notes import WithNotes
from filing.admin.readonly import ReadOnlyAdmin
from filing.models import PersonalToken
from filing.people import personal_tokens


@admin.register(PersonalToken)
class PersonalTokenAdmin(WithNotes, ReadOnlyAdmin):
    """Personal tokens, which users create on their profile. Only a hash is stored, never shown."""

    related = ["user"]
    list_display = [
        "name",
        "start",
        "user",
        "institutions",
        "made_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    ]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter), "expires_at", "last_used_at"]
    date_hierarchy = "made_at"
    fields = [
        "name",
        "start",
        "user",
        "institutions",
        "made_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    ]
    search_fields = ["^start", "name", "user__username", "user__email", "leis"]
    search_help_text = "Search by the beginning of the token, its name, its user or an LEI."
    actions = ["revoke"]

    @admin.display(description="LEIs")
    def institutions(self, token: PersonalToken) -> str:
        return ", ".join(token.leis)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("filing.change_personaltoken")

    @admin.action(description="Permanently revoke the selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, selected: QuerySet[PersonalToken]) -> None:
        by = access.caller_of(cast(User, request.user))
        revoked = 0
        for token in selected:
            if token.revoked_at is None:
                personal_tokens.revoke(token.user, token.pk, by=by)
                revoked += 1
        self.message_user(request, f"{revoked} revoked.", messages.SUCCESS)
        if skipped := len(selected) - revoked:
            self.message_user(request, f"{skipped} skipped: already revoked.", messages.WARNING)
