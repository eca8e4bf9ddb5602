"""Invitations to act for institutions and organizations, and requests of people to do so."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from filing.admin.institution_columns import BesideLei
from filing.admin.notes import WithNotes
from filing.admin.own_pages import WithPageLinks
from filing.admin.tables import ReadOnlyAdmin, tag_state
from filing.models import AccessRequest, Invitation
from filing.people.invitations import roles_of

_INVITED = Invitation.State
_ASKED = AccessRequest.State


@admin.register(Invitation)
class InvitationAdmin(BesideLei, WithPageLinks, WithNotes, ReadOnlyAdmin):
    """Invitations, newest first. Administrators of institutions and organizations send them."""

    how_rows_come = "Administrators of institutions and organizations invite people."
    related = ["organization", "accepted_by"]
    list_display = [
        "email",
        "lei",
        "of_institution",
        "organization",
        "roles",
        "state_tag",
        "invited_by",
        "invited_at",
        "expires_at",
    ]
    fields = [
        "email",
        "lei",
        "of_institution",
        "organization",
        "roles",
        "until",
        "state_tag",
        "invited_by",
        "invited_at",
        "expires_at",
        "answered_at",
        "accepted_by",
        "reason",
    ]
    list_filter = ["answer", "invited_at"]
    date_hierarchy = "invited_at"
    search_fields = ["email", "invited_by", "^lei", "organization__name", "organization__code"]
    search_help_text = "Search by email address, who invited, an LEI, or an organization."
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Invitation]:
        return super().get_queryset(request).defer("seed", "sha256")

    @admin.display(description="roles")
    def roles(self, invitation: Invitation) -> str:
        return roles_of(invitation).in_words

    @admin.display(description="state", ordering="answer")
    def state_tag(self, invitation: Invitation) -> SafeString:
        kind = {_INVITED.OPEN: "warn", _INVITED.ACCEPTED: "good"}.get(invitation.state, "quiet")
        return tag_state(invitation.state.label, kind=kind)


@admin.register(AccessRequest)
class AccessRequestAdmin(BesideLei, WithPageLinks, WithNotes, ReadOnlyAdmin):
    """Requests for access, newest first. Administrators and contacts of institutions answer."""

    how_rows_come = (
        "People with an email domain of an institution ask its administrator, or its contact to be "
        "the first administrator."
    )
    related = ["user"]
    list_display = ["user", "lei", "of_institution", "kind", "state_tag", "asked_at", "answered_by"]
    fields = [
        "user",
        "lei",
        "of_institution",
        "kind",
        "state_tag",
        "asked_at",
        "contact_email",
        "expires_at",
        "answered_by",
        "answered_at",
        "reason",
    ]
    list_filter = ["state", "kind", "asked_at"]
    date_hierarchy = "asked_at"
    search_fields = ["user__username", "user__email", "contact_email", "^lei"]
    search_help_text = "Search by user name, email address, or the beginning of an LEI."
    show_full_result_count = False

    @admin.display(description="state", ordering="state")
    def state_tag(self, request: AccessRequest) -> SafeString:
        kind = {_ASKED.OPEN: "warn", _ASKED.GRANTED: "good"}.get(_ASKED(request.state), "quiet")
        return tag_state(request.get_state_display(), kind=kind)
