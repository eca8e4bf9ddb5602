"""The history of publications, as the public feed has it, with who did it."""

from __future__ import annotations

from django.contrib import admin

from databrowser.models import Publication
from filing.access import THE_SERVICE
from filing.admin.readonly import ReadOnlyAdmin


@admin.register(Publication)
class PublicationAdmin(ReadOnlyAdmin):
    """What went live, was rolled back or withdrawn; never changed."""

    related = ["version"]
    list_display = ["at", "year", "version", "what", "by", "reason"]
    list_filter = ["year", "what"]
    date_hierarchy = "at"
    search_fields = ["=actor_username", "=actor_email", "reason"]
    search_help_text = "A whole user name or email address, or a part of the reason."

    @admin.display(ordering="actor_username")
    def by(self, publication: Publication) -> str:
        return publication.actor_username or THE_SERVICE
