"""The admin page of what staff changed, and the link to the operators' guide."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from datetime import UTC, datetime
from typing import Any

from auditlog.filters import ResourceTypeFilter
from auditlog.mixins import LogEntryAdminMixin
from auditlog.models import LogEntry
from django.contrib import admin
from django.contrib.admin.exceptions import NotRegistered
from django.db.models import DateTimeField
from django.http import HttpRequest
from django.utils.formats import localize
from django.utils.timezone import localtime

from filing import registries
from filing.admin.tables import ReadOnlyAdmin
from filing.registries import AdminLink

admin.site.enable_nav_sidebar = False  # wide lists need the space, and the front page has the links
admin.site.unregister(LogEntry)
registries.register_admin_links(
    AdminLink(
        "Operators' guide",
        "admin:guide",
        (),
        "How each of these is done, with pictures.",
        place=registries.LAST_ADMIN_LINK,
    )
)


@admin.register(LogEntry)
class ChangeAdmin(LogEntryAdminMixin, ReadOnlyAdmin):
    """Each field before and after a change, and who changed it."""

    related = ["content_type", "actor"]
    list_display = [
        "timestamp",
        "resource_url",
        "action",
        "msg_short",
        "user_url",
        "actor_email",
        "remote_addr",
        "cid",
    ]
    list_filter = ["action", ResourceTypeFilter]
    date_hierarchy = "timestamp"
    search_fields = [
        "object_repr",
        "=actor__username",
        "=actor_email",
        "=remote_addr",
        "=cid",
    ]
    search_help_text = (
        "Enter part of the name of the changed item, or a complete user name, email address, IP "
        "address or request id."
    )
    fields = [
        "timestamp",
        "resource_url",
        "action",
        "msg",
        "user_url",
        "actor_email",
        "remote_addr",
        "cid",
        "additional_data",
    ]

    def get_list_display(self, request: HttpRequest) -> Any:
        return self._for_reader(super().get_list_display(request), request)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self._for_reader(super().get_fields(request, obj), request)

    def _for_reader(self, names: Any, request: HttpRequest) -> list[Any]:
        # One column function per request: this object serves many requests at the same time.
        column = self._resource_for(request)
        return [column if name == "resource_url" else name for name in names]

    def _resource_for(self, request: HttpRequest) -> Callable[[LogEntry], str]:
        """Return the column that links to the changed item if the user may open its page."""

        @admin.display(description="Resource")
        def resource(entry: LogEntry) -> str:
            if self._has_page(entry, request):
                return str(self.resource_url(entry))
            return f"{entry.content_type} - {entry.object_repr}"

        return resource

    def _has_page(self, entry: LogEntry, request: HttpRequest) -> bool:
        model = entry.content_type.model_class()
        try:
            page = self.admin_site.get_model_admin(model) if model else None
        except NotRegistered:
            return False
        return page is not None and page.has_view_permission(request)

    @admin.display(description="changes")
    def msg(self, entry: LogEntry) -> str:
        """Return the changed fields, with times in the time zone of the page."""
        zoned = copy(entry)
        fields = {field.name: field for field in _fields(entry)}
        zoned.changes = {
            name: [_zoned(text) for text in change]
            if isinstance(fields.get(name), DateTimeField)
            else change
            for name, change in entry.changes_dict.items()
        }
        return str(super().msg(zoned))


def _fields(entry: LogEntry) -> list[Any]:
    model = entry.content_type.model_class()
    return list(model._meta.concrete_fields) if model else []


def _zoned(text: str) -> str:
    """Return a recorded time (UTC without an offset) as pages show times."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:  # the field was empty
        return text
    return localize(localtime(moment if moment.tzinfo else moment.replace(tzinfo=UTC)))
