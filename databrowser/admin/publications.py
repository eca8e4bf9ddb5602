"""The publication history, as in the public feed, with the user behind each entry."""

from __future__ import annotations

from django.contrib import admin

from databrowser.models import Publication
from filing.access.persons import person_name
from filing.admin.readonly import ReadOnlyAdmin


@admin.register(Publication)
class PublicationAdmin(ReadOnlyAdmin):
    """The versions that were published, rolled back or withdrawn. Read-only."""

    related = ["version"]
    list_display = ["at", "year", "version", "what", "by", "reason"]
    list_filter = ["year", "what"]
    date_hierarchy = "at"
    search_fields = ["=actor_username", "=actor_email", "reason"]
    search_help_text = "A complete user name or email address, or part of the reason."

    @admin.display(ordering="actor_username")
    def by(self, publication: Publication) -> str:
        return person_name(publication)
