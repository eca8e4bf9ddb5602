"""Filing periods: when filings are taken, and how many have come."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from filing import access, seasons
from filing.admin.notes import WithNotes
from filing.admin.reasons import Reason
from filing.errors import BadInput
from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.models import FilingPeriod
from filing.periods import filings
from filing.seasons import Deadline, Window


class WindowForm(forms.ModelForm):
    """The days of a period as staff type them, and why."""

    close_now = forms.BooleanField(
        required=False,
        help_text="Yesterday was the last day, whatever stands above. Filings that are there stay.",
    )
    reason = Reason(
        missing="Say why: one sentence for the trail will do.",
        help_text="Kept in the trail with your name and the days before and after.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not all(cleaned.get(name) for name in Window._fields):
            return cleaned
        window = Window(*(cleaned[name] for name in Window._fields))
        try:
            window = seasons.closed(window) if cleaned.get("close_now") else window
            window.require_order()
        except BadInput as error:
            self.add_error("close_now" if cleaned.get("close_now") else "closes", error.message)
        return cleaned | window._asdict()


class CountedList(ChangeList):
    """The list with how many filings there are."""

    def get_queryset(
        self, request: HttpRequest, exclude_parameters: Any = None
    ) -> QuerySet[FilingPeriod]:
        # Before it is sorted: the counts are columns to sort by.
        self.root_queryset = seasons.counted(self.model_admin.get_queryset(request))
        return super().get_queryset(request, exclude_parameters)


@admin.register(FilingPeriod)
class FilingPeriodAdmin(WithNotes, admin.ModelAdmin):
    """When filings are taken. A window is extended or closed here; a season is opened by a form."""

    form = WindowForm
    list_display = [
        "period",
        "opens",
        "timely_until",
        "closes",
        "open_today",
        "owed",
        "signed",
        "late",
    ]
    list_filter = ["year"]
    search_fields = ["=year", "=quarter"]
    show_full_result_count = False
    fields = [
        *("year", "quarter", "opens", "timely_until", "computed_deadline", "closes"),
        *("close_now", "reason"),
    ]

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return CountedList

    @admin.display(boolean=True, description="open today")
    def open_today(self, period: FilingPeriod) -> bool:
        return filings.is_open(period)

    @admin.display(description="computed deadline")
    def computed_deadline(self, period: FilingPeriod) -> str:
        """Return which day is computed and why, and whether staff have set another."""
        computed = _computed(period)
        if computed is None:
            return "none"
        return computed.difference(period.timely_until) or str(computed)

    @admin.display(description="filings due", ordering="owed")
    def owed(self, period: Any) -> int:
        return int(period.owed)

    @admin.display(ordering="signed")
    def signed(self, period: Any) -> int:
        return int(period.signed)

    @admin.display(description="late (signed late, or not signed)", ordering="late")
    def late(self, period: Any) -> int:
        return int(period.late)

    def get_fields(self, request: HttpRequest, obj: FilingPeriod | None = None) -> list[Any]:
        """Only what is there has a deadline or can be closed; who may change it says why."""
        left_out = set() if obj else {"close_now", "computed_deadline"}
        if obj and not self.has_change_permission(request, obj):
            left_out = {"close_now", "reason"}
        return [name for name in self.fields or () if name not in left_out]

    def get_readonly_fields(
        self, request: HttpRequest, obj: FilingPeriod | None = None
    ) -> list[str]:
        """Filings hang on the period, so it stays what it is; its days can be moved."""
        return ["year", "quarter", "computed_deadline"] if obj else []

    def save_model(
        self, request: HttpRequest, obj: FilingPeriod, form: forms.ModelForm, change: bool
    ) -> None:
        """Add the period or move its days, and tell the trail why."""
        told = form.cleaned_data
        window = Window(*(told[name] for name in Window._fields))
        by, reason = access.caller_of(cast(User, request.user)), told["reason"]
        if change:
            seasons.change(obj, window, by=by, reason=reason)
        else:
            obj.pk = seasons.add(obj.period, window, by=by, reason=reason).pk
        computed = _computed(obj)
        if computed and (difference := computed.difference(window.timely_until)):
            messages.warning(request, difference)


def _computed(period: FilingPeriod) -> Deadline | None:
    """Return the computed deadline of a period; none for a year without a rulebook."""
    return Deadline(period.period) if period.year in range(FIRST_YEAR, LAST_YEAR + 1) else None
