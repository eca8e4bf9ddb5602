"""Webhooks of institutions and their deliveries, read-only: only institutions change them."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.institution_columns import BesideLei
from filing.admin.notes import WithNotes
from filing.admin.own_pages import WithPageLinks
from filing.admin.tables import ReadOnlyAdmin, ReadOnlyInline
from filing.models import Webhook, WebhookAttempt, WebhookDelivery


@admin.register(Webhook)
class WebhookAdmin(BesideLei, WithPageLinks, WithNotes, ReadOnlyAdmin):
    """Webhooks, which users of an institution add. Secrets are never shown."""

    how_rows_come = "Users of an institution add them on their pages."
    list_display = [
        *("lei", "of_institution", "url", "state", "failures"),
        *("failing_since", "succeeded_at", "added_at"),
    ]
    readonly_fields = ["of_institution"]
    list_filter = [
        ("disabled_at", admin.EmptyFieldListFilter),
        ("deleted_at", admin.EmptyFieldListFilter),
    ]
    date_hierarchy = "added_at"
    fields = [
        "lei",
        "of_institution",
        "url",
        "state",
        "actor_username",
        "actor_email",
        "added_at",
        "succeeded_at",
        "failures",
        "failing_since",
        "disabled_at",
        "disabled_reason",
        "deleted_at",
    ]
    search_fields = ["lei", "url", "actor_email"]
    search_help_text = "Search by LEI, address, or email address of the user who added it."

    @admin.display
    def state(self, webhook: Webhook) -> str:
        return webhook.state_label


class DeliveryAttemptInline(ReadOnlyInline):
    """The attempts at a delivery."""

    model = WebhookAttempt
    fields = ["started_at", "milliseconds", "status", "error", "answer"]


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(WithNotes, ReadOnlyAdmin):
    """Deliveries of webhooks, each with its attempts."""

    related = ["webhook", "job"]
    list_display = ["webhook", "type", "about", "state_words", "tries", "made_at", "ended_at"]
    list_filter = ["state", "type"]
    date_hierarchy = "made_at"
    fields = [
        "webhook",
        "message_id",
        "type",
        "about",
        "body",
        "state_words",
        "tries",
        "made_at",
        "ended_at",
        "job",
    ]
    inlines = [DeliveryAttemptInline]
    search_fields = ["webhook__lei", "message_id", "about"]
    search_help_text = "Search by LEI, message ID or submission."

    @admin.display(ordering="state", description="state")
    def state_words(self, delivery: WebhookDelivery) -> str:
        return delivery.state_label
