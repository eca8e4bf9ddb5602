"""Changes and corrections, as staff write and amend them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import ForeignKey
from django.http import HttpRequest
from django.utils import timezone

from databrowser.changes import entries
from databrowser.models import Change, Version
from filing import registries
from filing.admin.guarded import GuardedAdmin
from filing.day_hours import today
from filing.registries import AdminLink

registries.register_admin_links(
    AdminLink(
        "Changes and corrections",
        "admin:databrowser_change_changelist",
        ("databrowser.change_change",),
        "Announce a change or a correction to the public.",
        place=145,
        verb="Announce",
        table="databrowser.Change",
    )
)


class ChangeForm(forms.ModelForm):
    """A change; only a correction says what was wrong."""

    def clean_href(self) -> str:
        """Refuse what is no address of this site or of the web."""
        address: str = self.cleaned_data["href"].strip()
        is_own = address.startswith("/") and not address.startswith("//")
        if address and not is_own and not address.startswith("https://"):
            raise forms.ValidationError("Enter an address that begins with https:// or /.")
        return address

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        corrected = ("wrong_version", "right_version", "wrong_report")
        if cleaned.get("type") != Change.Type.CORRECTION:
            for name in corrected:
                if cleaned.get(name):
                    self.add_error(name, "Only a correction says what was wrong.")
        elif not (cleaned.get("wrong_version") or cleaned.get("wrong_report")):
            self.add_error("wrong_version", "Say which data set or which report was wrong.")
        wrong, right = cleaned.get("wrong_version"), cleaned.get("right_version")
        if right and (not wrong or right == wrong or right.year != wrong.year):
            self.add_error("right_version", "Choose another version of the same year.")
        return cleaned


@admin.register(Change)
class ChangeAdmin(GuardedAdmin):
    """The public list of changes. An entry is amended, and never deleted."""

    form = ChangeForm
    list_display = ["title", "date", "type", "product", "amended_at"]
    list_filter = ["type", "product"]
    search_fields = ["title", "description"]
    search_help_text = "Search in titles and descriptions."
    show_full_result_count = False
    fieldsets = [
        (None, {"fields": ["date", "type", "product", "title", "description", "href"]}),
        ("Of a correction", {"fields": ["wrong_version", "right_version", "wrong_report"]}),
    ]

    def has_delete_permission(self, request: HttpRequest, obj: Change | None = None) -> bool:
        return False

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return the values of a new entry before anything is entered."""
        return {"date": today(), **super().get_changeform_initial_data(request)}

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **options: Any
    ) -> forms.ModelChoiceField | None:
        """Return the field of a version; only those that were public are offered."""
        options["queryset"] = Version.objects.filter(publications__isnull=False).distinct()
        return super().formfield_for_foreignkey(db_field, request, **options)

    def save_model(
        self, request: HttpRequest, obj: Change, form: forms.ModelForm, change: bool
    ) -> None:
        if change:
            obj.amended_at = timezone.now()
        entries.save_change(obj)
