"""Filing years: prepared as a copy of the year before, opened step by step, and their rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.text import capfirst

from filing.access import Caller
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.forms import ReasonField, WithRefusals, find_caller
from filing.admin.guarded import GuardedAdmin
from filing.admin.own_pages import OwnPages, WithPageLinks, render_own_page, show_again
from filing.admin.reference import MAY_LOAD
from filing.admin.tables import ReadOnlyInline
from filing.errors import Refusal
from filing.lar.years import Period, YearStage, find_year
from filing.models import FilingPeriod, FilingYear, WithdrawnEdit
from filing.previews import digest_preview
from filing.reference_data import loading
from filing.reference_data.loading import Availability
from filing.seasons import rulebooks, years
from filing.seasons.windows import Deadline, Window, usual_windows
from filing.seasons.years import Setting

_CHANGE = "filing.change_filingyear"
_WITHDRAW = "filing.add_withdrawnedit"


def _move_to(stage: YearStage) -> AdminAction:
    def run(filing_year: FilingYear, *, by: Caller, reason: str) -> str:
        return years.move_stage(filing_year, stage, by=by, reason=reason)

    return AdminAction(
        name=stage.label,
        label=f"Move to stage {stage.label}",
        does=stage.words,
        act=f"Move {{}} to stage {stage.label}",
        permission=_CHANGE,
        plan=partial(years.plan_stage, stage=stage),
        run=run,
    )


class FilingYearForm(forms.ModelForm):
    """A year: a new one is a copy of the year before, with what staff change in the form."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in self.fields.keys() & set(years.SETTINGS):
            self.fields[name].label = capfirst(years.setting_label(name))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        year = cleaned.get("year", self.instance.year)
        if self.instance._state.adding and year is not None:
            try:
                years.draft_year(year)
            except Refusal as refusal:
                self.add_error("year", refusal.message)
                return cleaned
        if year is not None:
            for name, text in years.wrong_stand_ins(year, cleaned).items():
                self.add_error(name, text)
        return cleaned


class RulebookForm(forms.Form):
    """The rulebook to run, and the reason."""

    rulebook = forms.TypedChoiceField(coerce=int, widget=forms.HiddenInput)
    reason = ReasonField(max_length=years.LONGEST_REASON)

    def __init__(self, *args: Any, choices: Iterable[int], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["rulebook"].choices = [(each, str(each)) for each in choices]  # type: ignore[attr-defined]


class Withdrawals(ReadOnlyInline):
    """The edits that are or were withdrawn for the year."""

    model = WithdrawnEdit
    fields = ("code", "since", "reason", "withdrawn_by", "put_back_at")
    readonly_fields = fields
    show_change_link = True


@dataclass(frozen=True)
class PeriodWindow:
    """The days of a period of a year: as set where it is opened, otherwise the computed ones."""

    period: Period
    days: Window
    opened: FilingPeriod | None

    @property
    def difference(self) -> str:
        return Deadline(self.period).difference(self.days.timely_until)


class YearsList(ChangeList):
    """The list of years, with the reference data of all of them."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        files = dict(loading.list_availability())
        for filing_year in self.result_list:
            filing_year.files = files.get(filing_year.year, ())


@admin.register(FilingYear)
class FilingYearAdmin(WithPageLinks, WithRefusals, WithPossibleActions, GuardedAdmin):
    """Filing years: the rules and reference data of each, its stage and its thresholds."""

    form = FilingYearForm
    records_itself = True
    inlines = [Withdrawals]
    list_display = ["year", "stage_label", "rules_run", "reference_data", "withdrawn"]
    staff_actions = tuple(_move_to(stage) for stage in YearStage)
    readonly_fields = ["stage_label", "rules_run"]
    change_form_template = "admin/filing/filingyear/change_form.html"
    fieldsets = [
        (None, {"fields": ["year", "stage_label", "rules_run"]}),
        (
            "Reference data of other years in use",
            {"fields": ["census_year", "limits_year", "names_year"]},
        ),
        (
            "Thresholds",
            {"fields": [name for name in years.SETTINGS if name.endswith("_threshold")]},
        ),
        ("Signing", {"fields": [name for name in years.SETTINGS if name.startswith("signing_")]}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[FilingYear]:
        withdrawn = Count("withdrawals", filter=Q(withdrawals__put_back_at=None))
        return super().get_queryset(request).annotate(withdrawn_edits=withdrawn)

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return YearsList

    @admin.display(description="stage", ordering="stage")
    def stage_label(self, filing_year: FilingYear) -> str:
        stage = YearStage(filing_year.stage)
        return f"{stage.label}: {stage.words}"

    @admin.display(description="rules", ordering="rulebook")
    def rules_run(self, filing_year: FilingYear) -> str:
        return str(capfirst(filing_year.rules().rules_in_words))

    @admin.display(description="reference data")
    def reference_data(self, filing_year: Any) -> str:
        """Return which file is in use for each kind: its own, one that stands in, or none."""
        return "; ".join(f"{file.kind.label}: {_in_use(file)}" for file in filing_year.files)

    @admin.display(description="edits withdrawn")
    def withdrawn(self, filing_year: Any) -> int:
        return int(filing_year.withdrawn_edits)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fieldsets; those of a new year without what it does not have yet."""
        fieldsets = super().get_fieldsets(request, obj)
        return fieldsets if obj else [(None, {"fields": ["year"]}), *fieldsets[1:]]

    def get_inlines(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.inlines if obj else []

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [*self.readonly_fields, "year"] if obj else []

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return the year after the last one, with what it takes over from it."""
        drafted = years.draft_year(years.next_year())
        return {"year": drafted.year, **{name: getattr(drafted, name) for name in years.SETTINGS}}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def own_pages(self) -> OwnPages:
        """Return the page that compares two rulebooks and switches to one of them."""
        return (("<int:year>/rulebook/", self.rulebook, "rulebook"), *super().own_pages())

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """Show below the fields what the year has, and how it differs from the year before."""
        saved = context.get("original")
        filing_year = saved or years.draft_year(years.next_year())
        compared = years.compare_settings(filing_year)
        files = dict(loading.list_availability())
        context |= {
            "shown_year": filing_year,
            "year_before": filing_year.year - 1,
            "is_first": find_year(filing_year.year - 1) is None,
            "settings": compared,
            "days": list(_days(filing_year.year)),
            "files": [
                (file, _newer(file, filing_year.year, files))
                for file in files.get(filing_year.year, ())
            ],
            "may_load": request.user.has_perm(MAY_LOAD),
            "may_switch": saved and request.user.has_perm(_CHANGE),
            "may_withdraw": saved and request.user.has_perm(_WITHDRAW),
        }
        if not saved:
            context["title"] = f"Prepare {filing_year}"
            _say_what_is_taken_over(context["adminform"].form, filing_year, compared)
        return super().render_change_form(request, context, *args, **options)

    def rulebook(self, request: HttpRequest, year: int) -> HttpResponse:
        """Show which edits another rulebook changes, and switch to it once confirmed."""
        if not request.user.has_perm(_CHANGE):
            raise PermissionDenied(_CHANGE)
        filing_year = get_object_or_404(FilingYear, pk=year)
        released = rulebooks.rulebooks_for(filing_year)
        choices = [rulebook for rulebook in released if rulebook != filing_year.rulebook]
        form = RulebookForm(request.POST or None, choices=choices)
        if form.is_valid():
            by, digest = find_caller(request), request.POST.get("digest", "")
            try:
                with show_again(request):
                    done = rulebooks.switch_rulebook(
                        filing_year, by=by, digest=digest, **form.cleaned_data
                    )
                    messages.success(request, done)
                    return redirect("admin:filing_filingyear_change", year)
            except Refusal as refusal:
                messages.error(request, refusal.message)
                return redirect("admin:filing_filingyear_change", year)
            filing_year.refresh_from_db()
        text = request.POST.get("rulebook") or request.GET.get("rulebook", "")
        if text and text not in map(str, choices):
            messages.error(request, f"{filing_year} cannot run the rules of {text[:20]}.")
        rulebook = next((each for each in choices if str(each) == text), max(choices, default=0))
        context: dict[str, Any] = {"object": filing_year, "choices": choices, "wanted": rulebook}
        if rulebook:
            if not form.is_bound:
                form.initial = {"rulebook": rulebook}
            plan = rulebooks.plan_rulebook(filing_year, rulebook)
            context |= {
                "form": form,
                "act": f"Run the rules of {rulebook}",
                "plan": plan,
                "digest": digest_preview(plan),
                "changes": rulebooks.compare_rulebooks(filing_year.rulebook, rulebook),
            }
        page = "admin/filing/filingyear/rulebook.html"
        return render_own_page(self, request, page, f"Rules of {filing_year}", context)

    def save_model(
        self, request: HttpRequest, obj: FilingYear, form: forms.ModelForm, change: bool
    ) -> None:
        """Prepare the year, or change its settings, with an entry of the audit log."""
        by, reason = find_caller(request), form.cleaned_data["reason"]
        if change:
            changed = [name for name in years.SETTINGS if name in form.changed_data]
            years.change_settings(obj, changed, by=by, reason=reason)
            return
        settings = {name: form.cleaned_data[name] for name in years.SETTINGS}
        saved = years.prepare_year(obj.year, by=by, reason=reason, changes=settings)
        for field in FilingYear._meta.fields:
            setattr(obj, field.attname, getattr(saved, field.attname))
        obj._state.adding = False
        differing = [str(each) for each in years.compare_settings(saved) if each.differs]
        before = saved.year - 1
        if differing:
            messages.info(request, f"Differs from {before}: {'; '.join(differing)}.")
        if standing := WithdrawnEdit.objects.filter(filing_year=before, put_back_at=None):
            codes = ", ".join(each.code for each in standing)
            messages.warning(
                request, f"Withdrawn for {before}, and not for {saved}: {codes}. Withdraw what is "
                "wrong in its rules, too."
            )  # fmt: skip


def _say_what_is_taken_over(
    form: forms.BaseForm, drafted: FilingYear, compared: list[Setting]
) -> None:
    """Say at each field of a new year what the year before has."""
    before = drafted.year - 1
    form["year"].help_text = f"{drafted.year} follows the last prepared year."
    for setting in compared:
        if setting.name in form.fields:
            says = f"{before} has: {setting.before}" if setting.differs else f"As in {before}"
            form[setting.name].help_text += f" {says}."


def _in_use(file: Availability) -> str:
    if file.own:
        return "its own"
    return f"that of {file.stands_in.year}" if file.stands_in else "none"


def _newer(file: Availability, year: int, files: Mapping[int, list[Availability]]) -> int | None:
    """Return the last earlier year that has a file of its own, if it is newer than the one used."""
    kind, used = file.kind, file.own or file.stands_in
    own = [
        other
        for other, each in files.items()
        if other < year and any(one.own and one.kind is kind for one in each)
    ]
    newest = max(own, default=None)
    return newest if newest and (used is None or used.year < newest) else None


def _days(year: int) -> Iterator[PeriodWindow]:
    """Yield the days of each period of a year, the annual one first."""
    opened = {period.quarter: period for period in FilingPeriod.objects.filter(year=year)}
    for quarter, usual in usual_windows(year).items():
        period = opened.get(quarter)
        days = Window.of(period) if period else usual
        yield PeriodWindow(Period.of(year, quarter), days, period)
