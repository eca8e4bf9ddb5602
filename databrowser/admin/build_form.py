"""The form with which staff request a build: its fields, initial values and plan."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest

from databrowser.admin.version_actions import HINT
from databrowser.publication.builds import build_requests
from filing.admin.reasons import Reason
from filing.errors import Refusal
from filing.lar.years import Stage, supported_years


class BuildForm(forms.Form):
    """The year to build, whether to publish it when built, and the reason."""

    year = forms.TypedChoiceField(label="Data year", coerce=int)
    goes_live = forms.BooleanField(
        label="Publish it as soon as it is built",
        required=False,
        initial=True,
        help_text="If not, publish it later from its page.",
    )
    reason = Reason(missing="Say why: one sentence for the history will do.", help_text=HINT)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        years = [(year, str(year)) for year in reversed(supported_years(Stage.FILING))]
        self.fields["year"].choices = years  # type: ignore[attr-defined]


def plan_of(year: int) -> str:
    """Return what a build of the year would contain, or why it cannot be built."""
    try:
        return build_requests.plan_build(year)
    except Refusal as refusal:
        return refusal.message


def initial_of(request: HttpRequest) -> dict[str, Any]:
    """Return the initial values of the form, with the year given in the address."""
    year = request.GET.get("year", "")
    is_year = year.isdecimal() and len(year) == 4
    return {"goes_live": True} | ({"year": int(year)} if is_year else {})
