"""What the site tells everybody. This page is its own preview: it is shown here as well."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.utils import timezone

from filing.models import Announcement


class AnnouncementForm(forms.ModelForm):
    """Takes the text as one line, which is what a header can hold."""

    class Meta:
        model = Announcement
        fields = ["level", "text", "begins", "ends"]
        widgets = {
            "text": forms.Textarea(attrs={"rows": 3, "cols": 60, "class": "vLargeTextField"})
        }

    def clean_text(self) -> str:
        return " ".join(self.cleaned_data["text"].split())

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or {}
        begins, ends = cleaned.get("begins"), cleaned.get("ends")
        if begins and ends and ends <= begins:
            self.add_error("ends", "The end must be later than the beginning.")
        return cleaned


@admin.register(Announcement)
class AnnouncementAdmin(admin.ModelAdmin):
    """Kept by operators. Whoever changes one is named in the log of changes."""

    form = AnnouncementForm
    list_display = ["text", "level", "shown_now", "begins", "ends"]
    list_filter = ["level"]
    date_hierarchy = "begins"
    search_fields = ["text"]
    search_help_text = "A part of the text."
    show_full_result_count = False
    list_per_page = 50

    @admin.display(boolean=True, description="shown now")
    def shown_now(self, announcement: Announcement) -> bool:
        return announcement.is_current(timezone.now())
