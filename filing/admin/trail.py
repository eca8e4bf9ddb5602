"""The trail: every move of every submission, and every signature. Written once, never changed."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.models import Signature, StatusChange


@admin.register(StatusChange)
class StatusChangeAdmin(ReadOnlyAdmin):
    """Who moved what, when and why."""

    related = SUBMISSION
    list_display = ["at", "submission", "event", "before", "after", "actor_username", "reason"]
    list_filter = ["after"]
    date_hierarchy = "at"
    search_fields = [
        "^submission__filing__institution__lei",
        "submission__filing__institution__name",
        "=actor_username",
        "=actor_email",
        "=event",
    ]
    search_help_text = (
        "Institution, the beginning of an LEI, or a whole user name, e-mail address or event."
    )


@admin.register(Signature)
class SignatureAdmin(ReadOnlyAdmin):
    """Who signed which file, and the receipt that was given."""

    related = SUBMISSION
    list_display = ["receipt", "signed_at", "signer_username", "signer_email", "submission"]
    date_hierarchy = "signed_at"
    ordering = ["-signed_at"]
    search_fields = [
        "^receipt",
        "submission__filing__institution__name",
        "=signer_username",
        "=signer_email",
        "=sha256",
    ]
    search_help_text = (
        "Institution, the beginning of a receipt, or a whole user name, e-mail address or SHA-256."
    )
