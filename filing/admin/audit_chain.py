"""The verifications of the audit log, the links of its chain, and what retention removed."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from filing.admin import search
from filing.admin.readonly import ReadOnlyAdmin
from filing.audit.chain.tables import TABLES
from filing.models import ChainCheck, ChainLink, EntryRemoval

_DIGITS = 18  # of a position; longer ones do not fit into its column


@admin.register(ChainCheck)
class ChainCheckAdmin(ReadOnlyAdmin):
    """Every verification of the audit log, newest first, with its findings."""

    list_display = ["began_at", "is_full", "verified", "entries", "finding_count"]
    list_filter = ["is_full"]
    fields = [
        "began_at", "ended_at", "is_full", "verified", "entries", "head", "finding_count",
        "found",
    ]  # fmt: skip
    readonly_fields = ["verified", "found"]
    ordering = ["-began_at"]
    sortable_by = ["began_at"]

    @admin.display(description="entries read")
    def verified(self, check: ChainCheck) -> str:
        return f"{check.entries - check.after:,}"

    @admin.display(description="findings", empty_value="None")
    def found(self, check: ChainCheck) -> SafeString | None:
        """Return the findings as a list."""
        if not check.findings:
            return None
        return format_html_join("", "<p>{}</p>", ((sentence,) for sentence in check.findings))


@admin.register(ChainLink)
class ChainLinkAdmin(ReadOnlyAdmin):
    """The audit chain: one link for each entry that is evidence."""

    list_display = ["position", "table", "entry", "submission", "sealed_at", "adopted", "hash"]
    list_filter = ["adopted"]
    ordering = ["-position"]
    sortable_by = ["position"]
    search_fields = ["hash"]  # turns the search on; search_condition decides where to look
    search_help_text = "Search by position, or by the whole hash of a link."

    def search_condition(self, term: search.SearchTerm) -> Q | None:
        if not term.value:
            return None
        if term.value.isascii() and term.value.isdigit() and len(term.value) <= _DIGITS:
            return Q(position=term.value)
        return Q(hash=term.value.lower())


@admin.register(EntryRemoval)
class EntryRemovalAdmin(ReadOnlyAdmin):
    """Entries that were removed under a retention rule."""

    list_display = ["at", "of_table", "number", "rule"]
    fields = ["at", "of_table", "number", "rule", "fingerprint"]
    readonly_fields = ["of_table", "number"]
    ordering = ["-at", "-id"]
    sortable_by = ["at"]

    @admin.display(description="table")
    def of_table(self, removal: EntryRemoval) -> str:
        table = TABLES.get(removal.table)
        return table.label if table else removal.table

    @admin.display(description="entries")
    def number(self, removal: EntryRemoval) -> str:
        return f"{len(removal.entries):,}"
