"""The name of the institution beside each LEI and each submission, in lists and on pages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from filing.people.institutions import with_institution_name


class BesideLei(admin.options.BaseModelAdmin):
    """Rows with a column `lei`: `of_institution` is the name, with a link; read with the rows."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return with_institution_name(super().get_queryset(request))

    @admin.display(description="institution", empty_value="-")
    def of_institution(self, row: Any) -> str | None:
        key = getattr(row, "institution_key", None)
        return link_institution(key, row.institution_name) if key else None


class BesideSubmission(admin.options.BaseModelAdmin):
    """Rows about a submission, which are read with its institution."""

    @admin.display(description="institution", empty_value="-")
    def of_institution(self, row: Any) -> str | None:
        if row.submission is None:
            return None
        institution = row.submission.filing.institution
        return link_institution(institution.pk, institution.name)


def link_institution(key: int, name: str) -> str:
    """Return the link to the page of an institution, under its name."""
    address = reverse("admin:filing_institution_change", args=[key])
    return format_html('<a href="{}">{}</a>', address, name or "(no name)")
