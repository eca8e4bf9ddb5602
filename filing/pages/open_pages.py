"""Pages of filing that need no account: the deadlines, and the form to ask the help desk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.generic import FormView

from filing import day_hours
from filing.access import has_verified_email
from filing.errors import Refusal
from filing.lar.years import Period, YearStage, filing_years
from filing.models import Case, FilingPeriod, FilingYear
from filing.people import cases, institutions
from filing.periods import due_dates
from filing.seasons.windows import Window, usual_windows

_SALT = "filing.pages.cases"  # of the addresses that show a case number


class CaseForm(forms.Form):
    """A request to the help desk."""

    name = forms.CharField(
        label="Your name", max_length=300, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    email = forms.EmailField(
        label="Your business email address",
        help_text="The help desk answers to this address.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    institution = forms.CharField(label="Name of the institution", max_length=255)
    lei = forms.CharField(
        label="LEI (optional)",
        required=False,
        max_length=20,
        help_text="20 letters and digits.",
    )
    text = forms.CharField(
        label="What do you want the help desk to do?",
        max_length=cases.LONGEST_TEXT,
        help_text="For example: add our email domain, or give me the right to file. Do not enter "
        "passwords, or data of borrowers.",
        widget=forms.Textarea(attrs={"rows": 6}),
    )

    def clean_lei(self) -> str:
        """Return the LEI in capital letters; blank if there is none."""
        lei = institutions.normalize_lei(self.cleaned_data["lei"])
        try:
            return institutions.check_lei(lei) if lei else ""
        except ValueError as error:
            raise ValidationError(f"{error}.") from error


@method_decorator(never_cache, name="dispatch")
class OpenCasePage(FormView):
    """The form. The address of a signed-in user whose address is verified cannot be changed."""

    http_method_names = ["get", "head", "post"]
    template_name = "filing/pages/case.html"
    form_class = CaseForm

    def get_initial(self) -> dict[str, Any]:
        """Return what is known: of the user, or in the link that led here."""
        if self.request.user.is_authenticated:
            user = self.request.user
            return {"name": user.get_full_name(), "email": user.email}
        return {"email": self.request.GET.get("email", "")[:254]}

    def get_form(self, form_class: Any = None) -> CaseForm:
        form: CaseForm = super().get_form(form_class)
        if self.request.user.is_authenticated:
            form.fields["email"].disabled = has_verified_email(self.request.user)
        return form

    def form_valid(self, form: CaseForm) -> HttpResponse:
        """Open the case, and show its number."""
        user = self.request.user if self.request.user.is_authenticated else None
        try:
            case = cases.open_case(**form.cleaned_data, user=user)
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self.form_invalid(form)
        return redirect("case-opened", signing.dumps(case.pk, salt=_SALT))

    def form_invalid(self, form: CaseForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)


@never_cache
@require_safe
def show_opened_case(request: HttpRequest, case: str) -> HttpResponse:
    """Show the number of a case to whoever opened it, and what happens next."""
    try:
        key = signing.loads(case, salt=_SALT)
    except signing.BadSignature as error:
        raise Http404("There is no such case.") from error
    return render(request, "filing/pages/case_opened.html", {"number": Case(pk=key).number})


@require_safe
def show_deadlines(request: HttpRequest) -> HttpResponse:
    """Show the filing periods of now and soon with their days, and the years with their rules.

    A year that has no periods yet is shown with those of its usual days that are to come.
    """
    years = filing_years()
    current = [
        {
            "period": period,
            "days": Window.of(period),
            "when": due_dates.describe_due(period),
            "section": due_dates.find_deadline_section(period.period),
            "rules": years[period.year],
        }
        for period in due_dates.find_current_periods()
    ]
    prepared = FilingYear.objects.filter(stage__gte=YearStage.CHECKS)
    with_periods = set(FilingPeriod.objects.values_list("year", flat=True))
    planned = [
        {
            "period": period,
            "days": days,
            "is_planned": True,
            "section": due_dates.find_deadline_section(period),
            "rules": filing_year.rules(),
        }
        for filing_year in prepared
        if filing_year.year not in with_periods
        for period, days in _days_to_come(filing_year.year)
    ]
    context = {
        "periods": [*planned, *current],
        "years": prepared,
        "filing": [year for year in prepared if year.stage == YearStage.FILING],
    }
    return render(request, "filing/pages/deadlines.html", context)


def _days_to_come(year: int) -> Iterator[tuple[Period, Window]]:
    """Yield the periods of a year that are not due yet with their usual days, the last first."""
    each = sorted(usual_windows(year).items(), key=lambda window: window[1].opens, reverse=True)
    for quarter, days in each:
        if days.timely_until >= day_hours.today():
            yield Period.of(year, quarter), days


@require_safe
def download_calendar(request: HttpRequest) -> HttpResponse:
    """Return the deadlines as an iCalendar file (RFC 5545), with a whole-day event for each."""
    events = (
        due_dates.make_deadline_event(period, request.get_host())
        for period in due_dates.find_current_periods()
    )
    return due_dates.make_calendar_file("hmda-deadlines.ics", events)
