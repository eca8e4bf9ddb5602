"""The trail: what was done and refused, every move of a submission, every signature.

All of it is written once and never changed.
"""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q, prefetch_related_objects

from filing.admin import search
from filing.admin.big_lists import FixedFilter
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.models import Signature, StatusChange, TrailEntry
from filing.requests import ids
from filing.statuses import Event, Status


class AfterFilter(FixedFilter):
    """The status that a move led to."""

    title = "status afterwards"
    parameter_name = "after"
    fixed = tuple((str(status.value), f"{status.value} {status.message}") for status in Status)


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
        "times",
        "request_id",
    ]
    readonly_fields = ["times"]
    list_filter = ["happening"]
    date_hierarchy = "at"
    ordering = ["-at", "-id"]
    sortable_by = ["at"]
    search_fields = ["about"]  # that there is a search; what is looked through it says itself
    search_help_text = (
        "LEI, email address or domain, network address, a whole user name, subject or request "
        "id, or a part of what it was done to."
    )

    @admin.display(description="times", empty_value="")
    def times(self, entry: TrailEntry) -> str | None:
        """Return how often it happened in its minute, from the same address; blank for once."""
        counted = getattr(entry, "repetition", None)
        return f"{counted.times:,}" if counted and counted.times > 1 else None

    def complete(self, rows: list[TrailEntry]) -> None:
        prefetch_related_objects(rows, "repetition")

    def asked_for(self, asked: search.Asked) -> Q:
        if lei := search.lei_of(asked):
            return Q(lei=lei)
        return _of_actor(asked, "actor_email") or (
            Q(actor_id=asked.value)
            | Q(actor_username=asked.value)
            | Q(request_id=ids.as_stored(asked.value))
            | Q(about__icontains=asked.value)
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
    list_filter = [AfterFilter]
    date_hierarchy = "at"
    ordering = ["-at", "-id"]
    sortable_by = ["at"]
    search_fields = ["event"]  # that there is a search; what is looked through it says itself
    search_help_text = (
        "What finds a submission (LEI, institution, receipt, file name), email address or domain, "
        "network address, or a whole user name, event or request id."
    )

    def asked_for(self, asked: search.Asked) -> Q:
        if found := _of_actor(asked, "actor_email"):
            return found
        if asked.value.upper() in Event.__members__:
            return Q(event=asked.value.upper())
        if asked.shape is search.Shape.TEXT:
            request_id = ids.as_stored(asked.value)
            for whole in (Q(actor_username=asked.value), Q(request_id=request_id)):
                if StatusChange.objects.filter(whole).exists():
                    return whole
        return search.in_rows_of(StatusChange, asked)


@admin.register(Signature)
class SignatureAdmin(ReadOnlyAdmin):
    """Who signed which file, and the receipt that was given."""

    related = SUBMISSION
    list_display = ["receipt", "signed_at", "signer_username", "signer_email", "submission"]
    date_hierarchy = "signed_at"
    ordering = ["-signed_at"]
    sortable_by = ["receipt", "signed_at"]
    search_fields = ["receipt"]  # that there is a search; what is looked through it says itself
    search_help_text = (
        "Receipt, SHA-256, email address or domain, a whole user name, or what finds a "
        "submission: LEI, institution, file name."
    )

    def asked_for(self, asked: search.Asked) -> Q:
        if asked.shape is search.Shape.SHA256:
            return Q(sha256=asked.value)
        if asked.shape in _MAIL:
            return search.in_addresses("signer_email", asked)
        return search.in_rows_of(Signature, asked, Q(signer_username=asked.value))


_MAIL = {search.Shape.ADDRESS, search.Shape.DOMAIN}


def _of_actor(asked: search.Asked, email: str) -> Q | None:
    """Return the condition on who acted, and from where; none for anything else."""
    if asked.shape in _MAIL:
        return search.in_addresses(email, asked)
    return Q(address=asked.value) if asked.shape is search.Shape.NETWORK else None
