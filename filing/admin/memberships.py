"""Which users act for which institution."""

from __future__ import annotations

from django import forms
from django.contrib import admin

from filing import institutions
from filing.admin.checked import checked
from filing.models import Membership


class MembershipForm(forms.ModelForm):
    """A membership whose LEI has the shape of one."""

    def clean_lei(self) -> str:
        return checked(institutions.check_lei, self.cleaned_data["lei"])


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    """Found by user or LEI."""

    form = MembershipForm
    list_display = ["user", "lei", "source", "added_at"]
    list_filter = ["source"]
    list_select_related = ["user"]
    autocomplete_fields = ["user"]
    readonly_fields = ["source", "added_at"]
    date_hierarchy = "added_at"
    search_fields = ["user__username", "user__email", "^lei"]
    search_help_text = "User name or e-mail address, or the beginning of an LEI."
    show_full_result_count = False
