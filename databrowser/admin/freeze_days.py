"""Freeze days of all vintages: the usual ones, and those that staff set in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from databrowser.models import Dataset, FreezeDay
from databrowser.publication.versions import freeze_days
from filing import registries
from filing.access import person_name
from filing.admin.forms import find_caller
from filing.admin.guarded import GuardedAdmin
from filing.day_hours import day_in_words
from filing.errors import Refusal
from filing.lar.years import YearStage, supported_years
from filing.registries import AdminLink

registries.register_admin_links(
    AdminLink(
        "Freeze days",
        "admin:databrowser_freezeday_changelist",
        ("databrowser.view_freezeday",),
        "The day on which each vintage of a year is frozen, and another day where it has to be.",
        place=225,
    )
)


class FreezeDayForm(forms.ModelForm):
    """The freeze day of a vintage that was never published, after the filing deadline."""

    year = forms.TypedChoiceField(label="Data year", coerce=int)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if "year" in self.fields:
            years = [(year, str(year)) for year in reversed(supported_years(YearStage.FILING))]
            self.fields["year"].choices = years  # type: ignore[attr-defined]
        year, dataset = self._vintage(self.initial)
        if "frozen_on" in self.fields and year and dataset:
            usual = freeze_days.find_freeze_day(year, dataset).usual
            deadline = freeze_days.find_deadline(year)
            self.fields["frozen_on"].help_text += (
                f" The usual day is {day_in_words(usual)}; the filing deadline is "
                f"{day_in_words(deadline)}."
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        year, dataset = self._vintage(cleaned)
        if not (year and dataset and cleaned.get("frozen_on")):
            return cleaned
        try:
            freeze_days.require_unsettled(year, dataset)
            freeze_days.require_after_deadline(year, cleaned["frozen_on"])
        except Refusal as refusal:
            self.add_error("frozen_on", refusal.message)
        return cleaned

    def _vintage(self, values: Mapping[str, Any]) -> tuple[int, str]:
        """Return the year and data set of the row, or of a new one those in some values."""
        if self.instance.pk:
            return self.instance.year, self.instance.dataset
        year, dataset = str(values.get("year") or ""), str(values.get("dataset") or "")
        is_known = year in map(str, supported_years(YearStage.FILING))
        return (int(year), dataset) if is_known and dataset in Dataset.values[1:] else (0, "")


@admin.register(FreezeDay)
class FreezeDayAdmin(GuardedAdmin):
    """The freeze days of all vintages. One that was published keeps its day."""

    form = FreezeDayForm
    list_display = ["__str__", "set_by", "reason"]
    fields = ["year", "dataset", "frozen_on", "set_by", "why"]

    @admin.display(description="set by")
    def set_by(self, row: FreezeDay) -> str:
        return f"{person_name(row)}, {day_in_words(timezone.localtime(row.at).date())}"

    @admin.display(description="why")
    def why(self, row: FreezeDay) -> str:
        return row.reason

    def get_fields(self, request: HttpRequest, obj: FreezeDay | None = None) -> list[Any]:
        return list(self.fields or ()) if obj else ["year", "dataset", "frozen_on"]

    def get_readonly_fields(self, request: HttpRequest, obj: FreezeDay | None = None) -> list[str]:
        return ["year", "dataset", "set_by", "why"] if obj else []

    def has_change_permission(self, request: HttpRequest, obj: FreezeDay | None = None) -> bool:
        return super().has_change_permission(request, obj) and _can_change(obj)

    def has_delete_permission(self, request: HttpRequest, obj: FreezeDay | None = None) -> bool:
        return super().has_delete_permission(request, obj) and _can_change(obj)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the freeze day of each vintage, whether staff set it or not."""
        years = reversed(supported_years(YearStage.FILING))
        context = {
            "title": "Freeze days",
            "vintages": freeze_days.list_freeze_days(years),
            "may_set": self.has_add_permission(request),
        }
        return super().changelist_view(request, context | (extra_context or {}))

    def save_model(
        self, request: HttpRequest, obj: FreezeDay, form: forms.ModelForm, change: bool
    ) -> None:
        """Save the day with who set it, and why."""
        by = find_caller(request)
        obj.at, obj.reason = timezone.now(), form.cleaned_data["reason"]
        obj.actor_id, obj.actor_username, obj.actor_email = by.id, by.username, by.email
        super().save_model(request, obj, form, change)


def _can_change(row: FreezeDay | None) -> bool:
    return row is None or not freeze_days.has_been_public(row.year, row.dataset)
