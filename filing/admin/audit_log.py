"""The audit log, the status changes of submissions, and the signatures.

Entries are written once and never changed.
"""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q, prefetch_related_objects

from filing.access.persons import person_with_email
from filing.admin import search
from filing.admin.large_tables import KnownValuesFilter
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.admin.who_looked import WhoLooked
from filing.models import Signature, StatusChange, TrailEntry
from filing.requests import ids
from filing.statuses import Event, Status


class AfterFilter(KnownValuesFilter):
    """Filters status changes by the new status."""

    title = "new status"
    parameter_name = "after"
    values = tuple((str(status.value), f"{status.value} {status.message}") for status in Status)


@admin.register(TrailEntry)
class TrailEntryAdmin(WhoLooked, ReadOnlyAdmin):
    """Sign-ins, refused access, and everything people did except status changes."""

    list_display = [
        "at",
        "event",
        "actor_username",
        "actor_email",
        "address",
        "lei",
        "about",
        "reason",
        "times",
        "request_id",
    ]
    readonly_fields = ["times"]
    list_filter = ["event"]
    date_hierarchy = "at"
    ordering = ["-at", "-id"]
    sortable_by = ["at"]
    search_fields = ["about"]  # turns the search on; search_condition decides where to look
    search_help_text = (
        "Search by LEI, email address or domain, network address, whole user name, subject id or "
        "request id, or a part of what the entry is about."
    )

    @admin.display(description="times", empty_value="")
    def times(self, entry: TrailEntry) -> str | None:
        """Return how often it happened within its minute from one address; blank for once."""
        repetition = getattr(entry, "repetition", None)
        return f"{repetition.times:,}" if repetition and repetition.times > 1 else None

    def add_column_data(self, rows: list[TrailEntry]) -> None:
        prefetch_related_objects(rows, "repetition")

    def search_condition(self, term: search.SearchTerm) -> Q:
        if lei := search.lei_of(term):
            return Q(lei=lei)
        return _of_actor(term, "actor_email") or (
            Q(actor_id=term.value)
            | Q(actor_username=term.value)
            | Q(request_id=ids.as_stored(term.value))
            | Q(about__icontains=term.value)
        )


@admin.register(StatusChange)
class StatusChangeAdmin(ReadOnlyAdmin):
    """Every status change of a submission: who, when and why."""

    related = SUBMISSION
    list_display = [
        "at",
        "submission",
        "event",
        "before",
        "after",
        "actor",
        "address",
        "request_id",
        "reason",
    ]
    list_filter = [AfterFilter]
    date_hierarchy = "at"
    ordering = ["-at", "-id"]
    sortable_by = ["at"]
    search_fields = ["event"]  # turns the search on; search_condition decides where to look
    search_help_text = (
        "Search by LEI, institution, receipt number, file name, email address or domain, network "
        "address, or whole user name, event or request id."
    )

    @admin.display(description="by")
    def actor(self, change: StatusChange) -> str:
        return person_with_email(change)

    def search_condition(self, term: search.SearchTerm) -> Q:
        if of_actor := _of_actor(term, "actor_email"):
            return of_actor
        if term.value.upper() in Event.__members__:
            return Q(event=term.value.upper())
        if term.shape is search.Shape.TEXT:
            request_id = ids.as_stored(term.value)
            for condition in (Q(actor_username=term.value), Q(request_id=request_id)):
                if StatusChange.objects.filter(condition).exists():
                    return condition
        return search.in_rows_of(StatusChange, term)


@admin.register(Signature)
class SignatureAdmin(ReadOnlyAdmin):
    """Who signed which file, and the receipt number."""

    related = SUBMISSION
    list_display = ["receipt", "signed_at", "signer", "submission"]
    date_hierarchy = "signed_at"
    ordering = ["-signed_at"]
    sortable_by = ["receipt", "signed_at"]
    search_fields = ["receipt"]  # turns the search on; search_condition decides where to look
    search_help_text = (
        "Search by receipt number, SHA-256, LEI, institution, file name, email address or domain, "
        "or whole user name."
    )

    @admin.display(description="signed by")
    def signer(self, signature: Signature) -> str:
        return person_with_email(signature)

    def search_condition(self, term: search.SearchTerm) -> Q:
        if term.shape is search.Shape.SHA256:
            return Q(sha256=term.value)
        if term.shape in _EMAIL:
            return search.in_addresses("signer_email", term)
        return search.in_rows_of(Signature, term, Q(signer_username=term.value))


_EMAIL = {search.Shape.ADDRESS, search.Shape.DOMAIN}


def _of_actor(term: search.SearchTerm, email: str) -> Q | None:
    """Return the condition on who acted or from which address; none for other search terms."""
    if term.shape in _EMAIL:
        return search.in_addresses(email, term)
    return Q(address=term.value) if term.shape is search.Shape.NETWORK else None
