"""The log of what staff changed, to look at."""

from __future__ import annotations

from auditlog.filters import ResourceTypeFilter
from auditlog.mixins import LogEntryAdminMixin
from auditlog.models import LogEntry
from django.contrib import admin

from filing.admin.readonly import ReadOnlyAdmin

admin.site.enable_nav_sidebar = False  # wide lists need its room, and the front page has the way
admin.site.unregister(LogEntry)


@admin.register(LogEntry)
class ChangeAdmin(LogEntryAdminMixin, ReadOnlyAdmin):
    """Which field was what before, and who changed it. Found by person, address or request id."""

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
        "A part of the name of what was changed, or a whole user name, e-mail address, network "
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
