"""The trail: what was done and refused, every move of a submission, every signature.

All of it is written once and never changed.
"""

from __future__ import annotations

from django.contrib import admin

from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.models import Signature, StatusChange, TrailEntry


@admin.register(TrailEntry)
class TrailEntryAdmin(ReadOnlyAdmin):
    """Who signed in, was let in or turned away, and what they did besides moving submissions."""

    list_display = [
        "at",
        "happening",
        "actor_username",
        "actor_email",
        "address",
        "lei",
        "about",
        "reason",
        "request_id",
    ]
    list_filter = ["happening"]
    date_hierarchy = "at"
    search_fields = [
        "=actor_id",
        "=actor_username",
        "=actor_email",
        "^lei",
        "=address",
        "=request_id",
        "about",
    ]
    search_help_text = (
        "A whole user name, subject, e-mail address, network address or request id, the beginning "
        "of an LEI, or a part of what it was done to."
    )


@admin.register(StatusChange)
class StatusChangeAdmin(ReadOnlyAdmin):
    """Who moved what, when and why."""

    related = SUBMISSION
    list_display = [
        "at",
        "submission",
        "event",
        "before",
        "after",
        "actor_username",
        "address",
        "request_id",
        "reason",
    ]
    list_filter = ["after"]
    date_hierarchy = "at"
    search_fields = [
        "^submission__filing__institution__lei",
        "submission__filing__institution__name",
        "=actor_username",
        "=actor_email",
        "=event",
        "=address",
        "=request_id",
    ]
    search_help_text = (
        "Institution, the beginning of an LEI, or a whole user name, e-mail address, event, "
        "network address or request id."
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
