"""Read-only pages, for rows that actions and workers write, never people."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from filing.access import fields
from filing.access.fields import Readers
from filing.admin.large_tables import LargeTableAdmin

# The related rows that the name of a submission is made of.
SUBMISSION = ["submission__filing__institution", "submission__filing__period"]


class ReadOnly(admin.options.BaseModelAdmin):
    """A page or inline without adding, changing and deleting. related: tables to join."""

    related: list[str] = []

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        # Without names, select_related would follow every foreign key.
        return rows.select_related(*self.related) if self.related else rows

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Return the fields of the page that staff may read."""
        return fields.visible(self.model, super().get_fields(request, obj), Readers.STAFF)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, LargeTableAdmin):
    """A read-only list with a read-only page for each row."""

    def page_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return what the page of a row shows besides its fields, as template context."""
        return {}

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a row. A POST is refused: with "save as new" it could add a row."""
        if request.method == "POST":
            raise PermissionDenied
        context = self.page_context(request, object_id) | (extra_context or {})
        return super().change_view(request, object_id, form_url, context)


class AddedByForm(ReadOnlyAdmin):
    """A read-only list and pages; users with the right add rows through a custom form."""

    def add(self, request: HttpRequest) -> HttpResponse:
        """Show the form, and add the row once it is submitted."""
        raise NotImplementedError

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form to users who may add a row."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return self.add(request)


class Followed(ReadOnlyAdmin):
    """A read-only list and pages of rows that jobs produce; a page refreshes until its job is done.

    For rows with a `job` and a `state` whose first value is `State.ASKED`.
    """

    def outcome(self, thing: Any) -> str:
        """Return a sentence about the progress of the job, or its result."""
        raise NotImplementedError

    def followed_at(self, request: HttpRequest, thing: Any) -> str:
        """Return the address from which the page refreshes."""
        return request.path

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """Show a row; the page refreshes while its job is unfinished."""
        if thing := context.get("original"):
            context |= {
                "is_followed": thing.state == thing.State.ASKED and thing.job.is_unfinished,
                "address": self.followed_at(request, thing),
                "outcome": self.outcome(thing),
            }
        return super().render_change_form(request, context, *args, **options)


class ReadOnlyInline(ReadOnly, admin.TabularInline):
    """A read-only table of related rows."""

    extra = 0
    can_delete = False
