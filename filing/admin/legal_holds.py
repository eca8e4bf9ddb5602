"""Legal holds: who placed and lifted each, when and why.

They are placed on the pages of institutions and filings.
"""

from __future__ import annotations

from django.contrib import admin

from filing.admin.actions import Action, WithPossibleActions
from filing.admin.page_links import WithLinks
from filing.admin.readonly import ReadOnlyAdmin
from filing.models import LegalHold
from filing.periods import legal_holds

LIFT = Action(
    name="lift",
    label="Lift the legal hold",
    does="The retention rules apply again. The hold stays on record.",
    permission="filing.change_legalhold",
    plan=legal_holds.plan_lift,
    run=legal_holds.lift,
)


@admin.register(LegalHold)
class LegalHoldAdmin(WithLinks, WithPossibleActions, ReadOnlyAdmin):
    """All holds, also those that were lifted."""

    list_display = ["at", "lei", "filing", "actor_username", "reason", "lifted_at", "lifted_by"]
    list_filter = [("lifted_at", admin.EmptyFieldListFilter)]
    search_fields = ["=lei"]
    search_help_text = "Search by LEI."
    fields = [
        "at",
        "lei",
        "filing",
        "actor_username",
        "actor_email",
        "reason",
        "lifted_at",
        "lifted_by",
        "lifted_reason",
    ]
    related = ["filing__institution", "filing__period"]
    staff_actions = (LIFT,)
