"""The admin page of what staff changed, and the link to the operators' guide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from auditlog.filters import ResourceTypeFilter
from auditlog.mixins import LogEntryAdminMixin
from auditlog.models import LogEntry
from django.contrib import admin
from django.contrib.admin.exceptions import NotRegistered
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.text import capfirst

from filing import registries
from filing.admin.tables import ReadOnlyAdmin
from filing.audit.value_changes import describe_change
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


MOST_LISTED = 3  # changed fields of an entry, in the list


@admin.register(LogEntry)
class ChangeAdmin(LogEntryAdminMixin, ReadOnlyAdmin):
    """Each field before and after a change, and who changed it."""

    related = ["content_type", "actor"]
    list_display = [
        "timestamp",
        "resource_url",
        "action",
        "changed_fields",
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
    def changed_fields(self, entry: LogEntry) -> str:
        """Return the first changed fields, with their values before and after."""
        lines = _list_changes(entry)
        more = [f"and {len(lines) - MOST_LISTED} more"] if len(lines) > MOST_LISTED else []
        return format_html_join("", "<p>{}</p>", ((line,) for line in lines[:MOST_LISTED] + more))

    @admin.display(description="changes")
    def msg(self, entry: LogEntry) -> str:
        """Return all changed fields, with their values before and after."""
        return format_html_join("", "<p>{}</p>", ((line,) for line in _list_changes(entry)))


def _list_changes(entry: LogEntry) -> list[str]:
    model = entry.content_type.model_class()
    fields = {field.name: field for field in model._meta.get_fields()} if model else {}
    return [
        _describe(name, change, fields.get(name)) for name, change in entry.changes_dict.items()
    ]


def _describe(name: str, change: Any, field: Any) -> str:
    """Return a change of a field. Of many-to-many fields the log has what was added or removed."""
    label = capfirst(str(getattr(field, "verbose_name", name)))
    if isinstance(change, dict):
        objects = ", ".join(map(str, change.get("objects", ())))
        return f"{label}: {change.get('operation', 'changed')} {objects}"
    before, after = change
    return describe_change(label, before, after, field=field)
