"""The forms of a season: its year and the days to begin with, the season itself, and the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.utils import timezone

from filing import seasons
from filing.admin.reasons import Reason
from filing.errors import BadInput
from filing.lar.fields import AGENCIES, STATES
from filing.lar.period import FIRST_YEAR, LAST_YEAR, Period
from filing.models import Institution
from filing.people import institutions
from filing.seasons import Choice, Deadline, Plan, Window

MOST_LEIS = 10_000
DAYS = {
    "opens": "First day",
    "timely_until": "Filing deadline",
    "closes": "Last day",
}
_NAMES = {"": "Annual", "Q1": "Q1", "Q2": "Q2", "Q3": "Q3"}


def _as_they_are(year: int) -> dict[str, Window]:
    return seasons.windows(year) | seasons.current(year)


# Where the days of the form come from: the words for it, and what gives them.
STARTS: dict[str, tuple[str, Callable[[int], dict[str, Window]]]] = {
    "now": ("the days as they are, or else the usual ones", _as_they_are),
    "usual": ("the usual days", seasons.windows),
    "last": ("those of last year, a year later", seasons.clone),
}


class StartForm(forms.Form):
    """Of which year the season is, and with which days the form is filled in."""

    year = forms.TypedChoiceField(label="Data year", coerce=int)
    start = forms.ChoiceField(
        label="Fill in", choices=[(name, words) for name, (words, _) in STARTS.items()]
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        # The form below it has a year, too.
        super().__init__(*args, **{"auto_id": "start_%s", **options})
        years = range(LAST_YEAR, FIRST_YEAR - 1, -1)
        self.fields["year"].choices = [(year, str(year)) for year in years]  # type: ignore[attr-defined]


def usual_year() -> int:
    """Return the year whose season is opened next: last year's, or this one's late in the year."""
    today = timezone.localdate()
    return max(FIRST_YEAR, min(today.year if today.month > 6 else today.year - 1, LAST_YEAR))


@dataclass(frozen=True)
class Row:
    """A period in the form."""

    name: str
    chosen: BoundField
    days: list[BoundField]

    @property
    def errors(self) -> list[str]:
        return [str(error) for field in (self.chosen, *self.days) for error in field.errors]


class SeasonForm(forms.Form):
    """A season: days and a tick for each period, which institutions, and whether to tell them."""

    year = forms.IntegerField(min_value=FIRST_YEAR, max_value=LAST_YEAR, widget=forms.HiddenInput)
    panel_year = forms.TypedChoiceField(label="Panel", required=False, coerce=int, empty_value=None)
    agencies = forms.TypedMultipleChoiceField(
        label="Agencies",
        required=False,
        coerce=int,
        choices=list(AGENCIES.items()),
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all.",
    )
    states = forms.CharField(
        required=False, help_text="With commas between, such as CA, NY. Blank: all."
    )
    quarterly_only = forms.BooleanField(label="Quarterly filers only", required=False)
    leis = forms.CharField(
        label="LEIs",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        help_text=f"Up to {MOST_LEIS:,}, one a line or with commas between. Blank: all.",
    )
    announce = forms.BooleanField(
        label="Announce by mail",
        required=False,
        help_text="One email to each user who acts for one of the institutions.",
    )

    def __init__(self, *args: Any, year: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self.season = year
        self.fields["panel_year"].choices = _panels(year)  # type: ignore[attr-defined]
        for quarter in seasons.windows(year):
            of = f"{year}-{quarter}" if quarter else f"{year}"
            self.fields[_name(quarter, "chosen")] = forms.BooleanField(
                label=f"Open {of}", required=False
            )
            for day, label in DAYS.items():
                self.fields[_name(quarter, day)] = forms.DateField(
                    label=f"{of}: {label.lower()}",
                    required=False,
                    help_text=self._deadline_help(quarter) if day == "timely_until" else "",
                    error_messages={"invalid": f"{label}: enter a date."},
                    widget=forms.DateInput(
                        format="%Y-%m-%d", attrs={"type": "date", "aria-label": f"{of}: {label}"}
                    ),
                )

    @classmethod
    def filled_in(cls, year: int, start: str) -> SeasonForm:
        """Return the form of a year with days to begin with; what these lack is not ticked."""
        usual, given = seasons.windows(year), STARTS[start][1](year)
        initial: dict[str, Any] = {"year": year}
        for quarter, window in (usual | given).items():
            initial |= {_name(quarter, day): value for day, value in window._asdict().items()}
            initial[_name(quarter, "chosen")] = quarter in (given or usual)
        return cls(initial=initial, year=year)

    def rows(self) -> Iterator[Row]:
        """Yield the periods of the form."""
        for quarter in seasons.windows(self.season):
            days = [self[_name(quarter, day)] for day in DAYS]
            yield Row(_NAMES[quarter], self[_name(quarter, "chosen")], days)

    def others(self) -> list[BoundField]:
        """Return the fields that choose institutions."""
        names = ("panel_year", "agencies", "states", "quarterly_only", "leis")
        return [self[name] for name in names]

    def clean_states(self) -> tuple[str, ...]:
        states = tuple(dict.fromkeys(_words(self.cleaned_data["states"].upper())))
        if unknown := [state for state in states if state not in STATES]:
            raise ValidationError(
                f"No state is called {', '.join(unknown)}: write two letters, such as CA or NY."
            )
        return states

    def clean_leis(self) -> tuple[str, ...]:
        leis = tuple(dict.fromkeys(_words(self.cleaned_data["leis"].upper())))
        if len(leis) > MOST_LEIS:
            raise ValidationError(
                f"{len(leis):,} LEIs are too many for a list: give {MOST_LEIS:,} at most, or "
                "choose by panel, agency or state."
            )
        if wrong := [lei for lei in leis if not institutions.is_lei(lei)]:
            more = f", and {len(wrong) - 3} more" if len(wrong) > 3 else ""
            raise ValidationError(
                f"No LEI: {', '.join(wrong[:3])}{more}. An LEI has 20 capital letters and digits."
            )
        return leis

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        windows = {}
        for quarter in seasons.windows(self.season):
            if cleaned.get(_name(quarter, "chosen")):
                windows[quarter] = self._window(quarter)
        if not windows:
            self.add_error(None, "No period is ticked: tick the annual one, a quarter, or more.")
        return cleaned | {"windows": {quarter: each for quarter, each in windows.items() if each}}

    def _deadline_help(self, quarter: str) -> str:
        """Return which filing deadline is computed and why, and that the one typed differs."""
        name, computed = _name(quarter, "timely_until"), Deadline(Period.of(self.season, quarter))
        typed = self.data.get(name) if self.is_bound else self.initial.get(name)
        try:
            day = forms.DateField(required=False).to_python(typed)
        except ValidationError:
            day = None
        return (computed.difference(day) if day else "") or str(computed)

    def _window(self, quarter: str) -> Window | None:
        days: list[date | None] = [self.cleaned_data.get(_name(quarter, day)) for day in DAYS]
        for day, value in zip(DAYS, days, strict=True):
            if value is None and not self.has_error(_name(quarter, day)):
                self.add_error(_name(quarter, day), f"{DAYS[day]}: give a day, or untick this.")
        if None in days:
            return None
        window = Window(*(day for day in days if day))
        try:
            window.require_order()
        except BadInput as error:
            self.add_error(_name(quarter, "opens"), error.message)
        return window

    def plan(self) -> Plan:
        """Return the season that was asked for. Only for a form that is valid."""
        told = self.cleaned_data
        choice = Choice(
            panel_year=told["panel_year"],
            agencies=tuple(told["agencies"]),
            states=told["states"],
            quarterly_only=told["quarterly_only"],
            leis=told["leis"],
        )
        return Plan(told["year"], told["windows"], choice, told["announce"])


class ConfirmForm(forms.Form):
    """Why the season is opened, and, without a census, that it is to be opened all the same."""

    reason = Reason(
        missing="Say why: one sentence for the trail will do.",
        help_text="Kept in the trail with your name.",
    )
    force = forms.BooleanField(required=False)

    def __init__(self, *args: Any, year: int, needs_force: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        if not needs_force:
            del self.fields["force"]
            return
        force = self.fields["force"]
        force.label = f"Open the season without a census of {year}"
        force.required = True
        force.error_messages["required"] = (
            f"There is no census of {year}. Load it first, or tick this to open without it."
        )


def _name(quarter: str, what: str) -> str:
    return f"{quarter.lower() or 'annual'}_{what}"


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,;]+", text) if word]


def _panels(year: int) -> list[tuple[int | str, str]]:
    years = Institution.objects.order_by("-activity_year").values_list("activity_year", flat=True)
    others = [(each, f"who was in the panel of {each}, too") for each in years.distinct()]
    return [("", f"the whole panel of {year}"), *((y, w) for y, w in others if y != year)]
