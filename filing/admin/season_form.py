"""The forms to open a season: its year and prefilled days, the season itself, the confirmation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.http import QueryDict
from django.utils import timezone

from filing import seasons
from filing.admin.forms import ReasonField
from filing.errors import BadInput
from filing.lar.fields import AGENCIES, STATES
from filing.lar.years import Period, YearStage, describe_supported, supported_years, year_filed_on
from filing.models import Institution
from filing.people import institutions
from filing.seasons import Deadline, InstitutionChoice, SeasonPlan, Window

MAX_LEIS = 10_000
DAYS = {
    "opens": "First day",
    "timely_until": "Filing deadline",
    "closes": "Last day",
}
_NAMES = {"": "Annual", "Q1": "Q1", "Q2": "Q2", "Q3": "Q3"}


def _current_days(year: int) -> dict[str, Window]:
    return seasons.usual_windows(year) | seasons.find_current_windows(year)


# Where prefilled days come from: the label of the option, and the function that returns them.
START_FIELDS: dict[str, tuple[str, Callable[[int], dict[str, Window]]]] = {
    "now": ("the current days, or the standard days if there are none", _current_days),
    "usual": ("the standard days", seasons.usual_windows),
    "last": ("last year's days, moved by a year", seasons.copy_last_windows),
}


def _no_rulebook(year: object) -> str:
    supported = describe_supported(YearStage.FILING)
    return f"{year} is not one of the available choices: {supported}."


class SeasonStartForm(forms.Form):
    """The year of the season, and the days that prefill the form."""

    year = forms.TypedChoiceField(label="Data year", coerce=int)
    start = forms.ChoiceField(
        label="Fill in", choices=[(name, label) for name, (label, _) in START_FIELDS.items()]
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        # The form below has a field named year, too.
        super().__init__(*args, **{"auto_id": "start_%s", **options})
        years = reversed(supported_years(YearStage.FILING))
        self.fields["year"].error_messages["invalid_choice"] = _no_rulebook("%(value)s")
        self.fields["year"].choices = [(year, str(year)) for year in years]  # type: ignore[attr-defined]


def suggest_year() -> int:
    """Return the data year to suggest: last year; from July on, this year."""
    today = timezone.localdate()
    ahead = today.replace(year=today.year + 1, day=1) if today.month > 6 else today
    return year_filed_on(ahead)


@dataclass(frozen=True)
class SeasonFormRow:
    """A period in the form. chosen: the checkbox that opens it."""

    name: str
    chosen: BoundField
    days: list[BoundField]

    @property
    def errors(self) -> list[str]:
        return [str(error) for field in (self.chosen, *self.days) for error in field.errors]


class SeasonForm(forms.Form):
    """A season: the days of each period to open, which institutions, and whether to email them."""

    year = forms.IntegerField(widget=forms.HiddenInput)
    loaded = forms.CharField(required=False, widget=forms.HiddenInput)
    panel_year = forms.TypedChoiceField(label="Panel", required=False, coerce=int, empty_value=None)
    agencies = forms.TypedMultipleChoiceField(
        label="Agencies",
        required=False,
        coerce=int,
        choices=list(AGENCIES.items()),
        widget=forms.CheckboxSelectMultiple,
        help_text="Select none for all agencies.",
    )
    states = forms.CharField(
        required=False,
        help_text="Two-letter codes separated by commas, such as CA, NY. Leave blank for all.",
    )
    quarterly_only = forms.BooleanField(label="Quarterly filers only", required=False)
    leis = forms.CharField(
        label="LEIs",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        help_text=(
            f"Up to {MAX_LEIS:,} LEIs, one per line or separated by commas. Leave blank for all."
        ),
    )
    announce = forms.BooleanField(
        label="Announce by email",
        required=False,
        help_text="Sends one email to each user who acts for one of the institutions.",
    )

    def __init__(self, *args: Any, year: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self.season = year
        self.fields["panel_year"].choices = _panels(year)  # type: ignore[attr-defined]
        for quarter in seasons.usual_windows(year):
            period = f"{year}-{quarter}" if quarter else f"{year}"
            self.fields[_name(quarter, "chosen")] = forms.BooleanField(
                label=f"Open {period}", required=False
            )
            for day, label in DAYS.items():
                self.fields[_name(quarter, day)] = forms.DateField(
                    label=f"{period}: {label.lower()}",
                    required=False,
                    help_text=self._deadline_help(quarter) if day == "timely_until" else "",
                    error_messages={"invalid": f"{label}: enter a date."},
                    widget=forms.DateInput(
                        format="%Y-%m-%d",
                        attrs={"type": "date", "aria-label": f"{period}: {label}"},
                    ),
                )

    @classmethod
    def filled_in(cls, year: int, start: str) -> SeasonForm:
        """Return the prefilled form of a year; periods without a start of their own are clear."""
        standard, prefilled = seasons.usual_windows(year), START_FIELDS[start][1](year)
        initial: dict[str, Any] = {"year": year, "loaded": _signed_days(year)}
        for quarter, window in (standard | prefilled).items():
            initial |= {_name(quarter, day): value for day, value in window._asdict().items()}
            initial[_name(quarter, "chosen")] = quarter in (prefilled or standard)
        return cls(initial=initial, year=year)

    def rows(self) -> Iterator[SeasonFormRow]:
        """Yield the periods of the form."""
        for quarter in seasons.usual_windows(self.season):
            days = [self[_name(quarter, day)] for day in DAYS]
            yield SeasonFormRow(_NAMES[quarter], self[_name(quarter, "chosen")], days)

    def institution_fields(self) -> list[BoundField]:
        """Return the fields that select institutions."""
        names = ("panel_year", "agencies", "states", "quarterly_only", "leis")
        return [self[name] for name in names]

    def clean_year(self) -> int:
        year = int(self.cleaned_data["year"])
        if year not in supported_years(YearStage.FILING):
            raise ValidationError(_no_rulebook("This year"))
        return year

    def clean_states(self) -> tuple[str, ...]:
        states = tuple(dict.fromkeys(_words(self.cleaned_data["states"].upper())))
        if unknown := [state for state in states if state not in STATES]:
            raise ValidationError(
                f"Unknown state: {', '.join(unknown)}. Enter two-letter codes, such as CA, NY."
            )
        return states

    def clean_leis(self) -> tuple[str, ...]:
        leis = tuple(dict.fromkeys(_words(self.cleaned_data["leis"].upper())))
        if len(leis) > MAX_LEIS:
            raise ValidationError(
                f"The list has {len(leis):,} LEIs; enter at most {MAX_LEIS:,}, or select by panel, "
                "agency or state."
            )
        if invalid := [lei for lei in leis if not institutions.is_lei(lei)]:
            more = f", and {len(invalid) - 3} more" if len(invalid) > 3 else ""
            raise ValidationError(
                f"Not an LEI: {', '.join(invalid[:3])}{more}. Enter 20 letters and digits for each."
            )
        return leis

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        windows = {}
        for quarter in seasons.usual_windows(self.season):
            if cleaned.get(_name(quarter, "chosen")):
                windows[quarter] = self._window(quarter)
        self._refuse_overwriting(windows)
        if not windows:
            self.add_error(None, "No period is selected. Select at least one.")
        valid = {quarter: window for quarter, window in windows.items() if window}
        return cleaned | {"windows": valid}

    def _refuse_overwriting(self, windows: dict[str, Window | None]) -> None:
        """Refuse days that would replace those that someone else set since the form was opened."""
        current = seasons.find_current_windows(self.season)
        try:
            loaded = signing.loads(self.cleaned_data.get("loaded", ""), salt=_salt(self.season))
        except signing.BadSignature:
            loaded = None
        overtaken = [
            (quarter, current[quarter], yours)
            for quarter, yours in windows.items()
            if yours and quarter in current and current[quarter] != yours
            if loaded is None or loaded.get(quarter) != str(current[quarter])
        ]
        for quarter, theirs, yours in overtaken:
            period = Period.of(self.season, quarter)
            text = (
                f"Someone else has changed {period} while you had the form open: saved now, "
                f"{theirs}{seasons.describe_last_change(period)}; yours, {yours}. Enter the days "
                "again, or "
                "go on to replace them."
            )
            self.add_error(_name(quarter, "opens"), ValidationError(text, code="overtaken"))
        if overtaken:
            data = cast(QueryDict, self.data).copy()
            data["loaded"] = _signed_days(self.season)
            self.data = data

    def _deadline_help(self, quarter: str) -> str:
        """Return the computed filing deadline with its rule, or how the entered day differs."""
        name, deadline = _name(quarter, "timely_until"), Deadline(Period.of(self.season, quarter))
        entered = self.data.get(name) if self.is_bound else self.initial.get(name)
        try:
            day = forms.DateField(required=False).to_python(entered)
        except ValidationError:
            day = None
        return (deadline.difference(day) if day else "") or str(deadline)

    def _window(self, quarter: str) -> Window | None:
        days: list[date | None] = [self.cleaned_data.get(_name(quarter, day)) for day in DAYS]
        for day, value in zip(DAYS, days, strict=True):
            if value is None and not self.has_error(_name(quarter, day)):
                self.add_error(
                    _name(quarter, day), f"{DAYS[day]}: enter a date, or clear the period."
                )
        if None in days:
            return None
        window = Window(*(day for day in days if day))
        try:
            window.require_order()
        except BadInput as error:
            self.add_error(_name(quarter, "opens"), error.message)
        return window

    def plan(self) -> SeasonPlan:
        """Return the season to open. The form must be valid."""
        cleaned = self.cleaned_data
        choice = InstitutionChoice(
            panel_year=cleaned["panel_year"],
            agencies=tuple(cleaned["agencies"]),
            states=cleaned["states"],
            quarterly_only=cleaned["quarterly_only"],
            leis=cleaned["leis"],
        )
        return SeasonPlan(cleaned["year"], cleaned["windows"], choice, cleaned["announce"])


class SeasonConfirmForm(forms.Form):
    """The reason for opening the season; if the census is missing, also a confirmation of that."""

    reason = ReasonField()
    force = forms.BooleanField(required=False)

    def __init__(self, *args: Any, year: int, needs_force: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        if not needs_force:
            del self.fields["force"]
            return
        force = self.fields["force"]
        force.label = f"Open the season without a census for {year}"
        force.required = True
        force.error_messages["required"] = (
            f"No census is loaded for {year}. Load it first, or select this to open without it."
        )


def _signed_days(year: int) -> str:
    """Return the days of a season as the form loads them."""
    days = {quarter: str(window) for quarter, window in seasons.find_current_windows(year).items()}
    return signing.dumps(days, salt=_salt(year))


def _salt(year: int) -> str:
    return f"filing.admin.season_form:{year}"


def _name(quarter: str, field: str) -> str:
    return f"{quarter.lower() or 'annual'}_{field}"


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,;]+", text) if word]


def _panels(year: int) -> list[tuple[int | str, str]]:
    years = Institution.objects.order_by("-activity_year").values_list("activity_year", flat=True)
    others = [
        (panel_year, f"also in the panel of {panel_year}")
        for panel_year in years.distinct()
        if panel_year != year
    ]
    return [("", f"the whole panel of {year}"), *others]
