"""The signed receipts, and the public keys that prove them."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q

from filing.admin import search
from filing.admin.readonly import ReadOnlyAdmin
from filing.models import ReceiptKey, SignedReceipt


@admin.register(ReceiptKey)
class ReceiptKeyAdmin(ReadOnlyAdmin):
    """The public keys of receipts; they are kept for good."""

    list_display = ["kid", "created_at"]
    ordering = ["-created_at"]
    sortable_by = ["created_at"]


@admin.register(SignedReceipt)
class SignedReceiptAdmin(ReadOnlyAdmin):
    """The receipts as they were issued, each with its proof and key."""

    related = ["signature", "key"]
    list_display = ["signature", "issued_at", "key"]
    fields = ["signature", "issued_at", "key", "jws"]
    date_hierarchy = "issued_at"
    ordering = ["-issued_at", "-id"]
    sortable_by = ["issued_at"]
    search_fields = ["signature"]  # turns the search on; search_condition decides where to look
    search_help_text = "Search by receipt number or key ID, whole."

    def search_condition(self, term: search.SearchTerm) -> Q | None:
        if not term.value:
            return None
        return Q(signature__receipt=term.value) | Q(key__kid=term.value)
