"""Filing periods: their days, and how many filings are due, signed and late."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst

from filing import seasons
from filing.admin.forms import find_caller
from filing.admin.guarded import GuardedAdmin
from filing.admin.notes import WithNotes
from filing.admin.own_pages import WithPageLinks, name_number
from filing.errors import BadInput
from filing.lar.years import Period, YearStage, find_year, is_supported
from filing.models import FilingPeriod, Institution
from filing.periods import duties, filings
from filing.seasons import Deadline, Window, years

_MOST_LISTED = 20  # signed submissions that were never checked


class WindowForm(forms.ModelForm):
    """The days of a period as staff enter them."""

    close_now = forms.BooleanField(
        required=False,
        help_text="Makes yesterday the last day, whatever is entered above. Filings are kept.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.instance.pk is None and "year" in cleaned and "quarter" in cleaned:
            try:
                seasons.require_rulebook(Period.of(cleaned["year"], cleaned["quarter"]))
            except BadInput as error:
                self.add_error("year", error.message)
        if not all(cleaned.get(name) for name in Window._fields):
            return cleaned
        window = Window(*(cleaned[name] for name in Window._fields))
        try:
            window = seasons.close_window(window) if cleaned.get("close_now") else window
            window.require_order()
        except BadInput as error:
            self.add_error("close_now" if cleaned.get("close_now") else "closes", error.message)
        return cleaned | window._asdict()


class CountedList(ChangeList):
    """The list of periods, with the numbers of their filings."""

    def get_queryset(
        self, request: HttpRequest, exclude_parameters: Any = None
    ) -> QuerySet[FilingPeriod]:
        # Counted before sorting: the list can be sorted by these columns.
        self.root_queryset = seasons.count_filings(self.model_admin.get_queryset(request))
        return super().get_queryset(request, exclude_parameters)

    def get_results(self, request: HttpRequest) -> None:
        """Read the rows, and what was filed where no rules are run."""
        super().get_results(request)
        self.unprepared = years.unprepared_periods()
        self.without_rules = list(years.signed_without_rules().order_by("pk")[: _MOST_LISTED + 1])


@admin.register(FilingPeriod)
class FilingPeriodAdmin(WithPageLinks, WithNotes, GuardedAdmin):
    """Filing periods. Staff extend or close them here; a form of its own opens a season."""

    form = WindowForm
    records_itself = True
    list_display = [
        "period",
        "opens",
        "timely_until",
        "closes",
        "open_today",
        "rules_run",
        "owed",
        "signed",
        "late",
    ]
    list_filter = ["year"]
    search_fields = ["=year", "=quarter"]
    show_full_result_count = False
    fields = [
        *("year", "quarter", "rules_run", "opens", "timely_until", "computed_deadline", "closes"),
        "close_now",
    ]

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return CountedList

    @admin.display(boolean=True, description="open today")
    def open_today(self, period: FilingPeriod) -> bool:
        return filings.is_period_open(period)

    @admin.display(description="rules")
    def rules_run(self, period: FilingPeriod) -> str:
        """Return the rules that its files are checked with, or that there are none."""
        rules = find_year(period.year)
        if rules and is_supported(period.period, YearStage.FILING):
            return str(capfirst(rules.rules_in_words))
        if rules is None:
            return "None: nothing can be filed. The year is not prepared."
        if rules.stage < YearStage.FILING:
            return f"None: nothing can be filed. The year is in stage {rules.stage.label}."
        return "None: nothing can be filed. The quarter does not exist."

    @admin.display(description="computed deadline")
    def computed_deadline(self, period: FilingPeriod) -> str:
        """Return the computed day and its rule, and whether staff have set another day."""
        deadline = _computed_deadline(period)
        if deadline is None:
            return "none"
        return deadline.difference(period.timely_until) or str(deadline)

    @admin.display(description="filings due", ordering="owed")
    def owed(self, period: Any) -> int:
        return int(period.owed)

    @admin.display(ordering="signed")
    def signed(self, period: Any) -> int:
        return int(period.signed)

    @admin.display(description="late (signed late or not signed)", ordering="late")
    def late(self, period: Any) -> int:
        return int(period.late)

    def get_fields(self, request: HttpRequest, obj: FilingPeriod | None = None) -> list[Any]:
        """Return the fields, without those for closing a new period or changing without rights."""
        hidden = set() if obj else {"close_now", "computed_deadline", "rules_run"}
        if obj and not self.has_change_permission(request, obj):
            hidden = {"close_now"}
        return [name for name in self.fields or () if name not in hidden]

    def get_readonly_fields(
        self, request: HttpRequest, obj: FilingPeriod | None = None
    ) -> list[str]:
        """Return year and quarter as read-only once filings may refer to the period."""
        return ["year", "quarter", "rules_run", "computed_deadline"] if obj else []

    def save_model(
        self, request: HttpRequest, obj: FilingPeriod, form: forms.ModelForm, change: bool
    ) -> None:
        """Add the period or change its days, and record the reason in the audit log."""
        window = Window(*(form.cleaned_data[name] for name in Window._fields))
        by, reason = find_caller(request), form.cleaned_data["reason"]
        if change:
            seasons.change_window(obj, window, by=by, reason=reason)
        else:
            obj.pk = seasons.add_filing_period(obj.period, window, by=by, reason=reason).pk
            owing = Institution.objects.filter(duties.match_owing(obj.period))
            if number := owing.filter(activity_year=obj.year).count():
                whose = f"{name_number(number, Institution._meta)} of the panel"
                text = f"The filings of {whose} are not created yet. Open the season for {obj}."
                messages.warning(request, text)
        deadline = _computed_deadline(obj)
        if deadline and (difference := deadline.difference(window.timely_until)):
            messages.warning(request, difference)


def _computed_deadline(period: FilingPeriod) -> Deadline | None:
    """Return the computed deadline of a period; None for a year outside the known ones."""
    return Deadline(period.period) if find_year(period.year) else None
