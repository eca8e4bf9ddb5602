"""Pages that only show: what they show is written by actions and workers, never by hand."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from filing.admin.big_lists import BigListAdmin

# What a submission needs so that its name can be written without asking again.
SUBMISSION = ["submission__filing__institution", "submission__filing__period"]


class ReadOnly(admin.options.BaseModelAdmin):
    """Takes adding, changing and deleting from a page or an inline; `related` is read along."""

    related: list[str] = []

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        # Without a name it would follow every key there is.
        return found.select_related(*self.related) if self.related else found

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, BigListAdmin):
    """A list and a page to look at."""


class ReadOnlyInline(ReadOnly, admin.TabularInline):
    """Rows that belong to the page, to look at."""

    extra = 0
    can_delete = False
