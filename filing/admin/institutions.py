"""The panel: institutions by activity year."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from filing import institutions
from filing.admin.checked import checked
from filing.models import Institution


class InstitutionForm(forms.ModelForm):
    """An institution as a person types it, with the checks of the panel import."""

    email_domains = forms.CharField(
        required=False,
        help_text="Mail domains whose users belong to the institution, with commas between.",
        widget=forms.TextInput(attrs={"size": 80}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["email_domains"] = ", ".join(self.instance.email_domains)

    def clean_lei(self) -> str:
        return checked(institutions.check_lei, self.cleaned_data["lei"])

    def clean_tax_id(self) -> str:
        return checked(institutions.check_tax_id, self.cleaned_data["tax_id"])

    def clean_email_domains(self) -> list[str]:
        return checked(institutions.check_domains, self.cleaned_data["email_domains"])


@admin.register(Institution)
class InstitutionAdmin(admin.ModelAdmin):
    """Who files, and what for: found by name, LEI or tax id."""

    form = InstitutionForm
    list_display = [
        "name",
        "lei",
        "activity_year",
        "agency",
        "tax_id",
        "state",
        "quarterly_filer",
        "hmda_filer",
    ]
    list_filter = ["activity_year", "agency", "quarterly_filer", "hmda_filer"]
    search_fields = ["^lei", "name", "^tax_id"]
    search_help_text = "Name, or the beginning of the LEI or tax id."
    show_full_result_count = False
    list_per_page = 50
    readonly_fields = [
        "hmda_filer",
        "quarterly_filer_has_filed_q1",
        "quarterly_filer_has_filed_q2",
        "quarterly_filer_has_filed_q3",
    ]
    fieldsets = [
        (None, {"fields": ["activity_year", "lei", "name", "tax_id", "agency"]}),
        ("Users", {"fields": ["email_domains"]}),
        ("Filing", {"fields": ["quarterly_filer", *readonly_fields]}),
        ("Place", {"fields": ["city", "state"]}),
        (
            "Company",
            {
                "fields": [
                    "institution_type",
                    "other_lender_code",
                    "assets",
                    "rssd",
                    "parent_rssd",
                    "parent_name",
                    "top_holder_rssd",
                    "top_holder_name",
                    "institution_id_2017",
                ]
            },
        ),
        ("Notes", {"fields": ["notes"]}),
    ]

    def get_readonly_fields(
        self, request: HttpRequest, obj: Institution | None = None
    ) -> list[str]:
        """Filings hang on the LEI and the year, so both stay as they were added."""
        return [*self.readonly_fields, *(["activity_year", "lei"] if obj else [])]
