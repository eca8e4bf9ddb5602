"""Announcements on every page of the site. The admin shows them too, which is the preview."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.utils import timezone

from filing.admin.guarded import GuardedAdmin
from filing.models import Announcement


class AnnouncementForm(forms.ModelForm):
    """An announcement; its text becomes one line, because a header holds no more."""

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
            self.add_error("ends", "Enter an end later than the beginning.")
        return cleaned


@admin.register(Announcement)
class AnnouncementAdmin(GuardedAdmin):
    """Announcements, which operators write. Each change is in the log of changes."""

    form = AnnouncementForm
    list_display = ["text", "level", "shown_now", "begins", "ends"]
    list_filter = ["level"]
    date_hierarchy = "begins"
    search_fields = ["text"]
    search_help_text = "Search by a part of the text."
    show_full_result_count = False
    list_per_page = 50

    @admin.display(boolean=True, description="shown now")
    def shown_now(self, announcement: Announcement) -> bool:
        return announcement.is_current(timezone.now())
