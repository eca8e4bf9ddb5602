"""The report "Who looked" for privacy officers: a page of the audit log, and its CSV."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_http_methods

from filing import access, day_hours
from filing.access import Caller
from filing.admin.large_tables import CappedPaginator
from filing.admin.own_pages import OwnPages, WithOwnPages, own_page
from filing.admin.reasons import ReasonForm
from filing.audit import deliveries
from filing.files import attachments
from filing.models import TrailEntry
from filing.submissions import who_looked
from filing.submissions.who_looked import Look, Selection

DAYS = 30  # that the report begins with
ROWS = 50  # on a page
_DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class SelectionForm(forms.Form):
    """What the report covers."""

    since = forms.DateField(label="From", widget=_DAY)
    until = forms.DateField(label="To", widget=_DAY)
    lei = forms.CharField(label="LEI", required=False, max_length=20)
    submission = forms.CharField(required=False, max_length=60, help_text="Its whole name.")
    person = forms.CharField(
        required=False, max_length=255, help_text="A whole user name or email address."
    )
    event = forms.ChoiceField(required=False)

    def __init__(self, data: Any) -> None:
        today = day_hours.today()
        first = {"since": today - timedelta(days=DAYS), "until": today}
        super().__init__(first | {key: value for key, value in data.items() if value})
        events = [(event.value, event.label.capitalize()) for event in who_looked.EVENTS]
        self.fields["event"].choices = [("", "All"), *events]  # type: ignore[attr-defined]

    def clean_lei(self) -> str:
        return str(self.cleaned_data["lei"]).upper()

    def clean_until(self) -> Any:
        until, since = self.cleaned_data["until"], self.cleaned_data.get("since")
        if since and until < since:
            raise forms.ValidationError("Enter a day that is not before the first one.")
        return until

    @property
    def selection(self) -> Selection:
        """The selection of a valid form."""
        return Selection(**self.cleaned_data)


class WhoLooked(WithOwnPages):
    """Adds the report to the admin of the audit log."""

    def own_pages(self) -> OwnPages:
        """Return the address of the report. Its form sends the CSV."""
        view = require_http_methods(["GET", "HEAD", "POST"])(self.who_looked_view)
        return (("who-looked/", view, "who_looked"), *super().own_pages())

    def who_looked_view(self, request: HttpRequest) -> HttpResponseBase:
        """Show the report; send it as CSV for a reason."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        form = SelectionForm(request.GET)
        why = ReasonForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self._report(request, 400, form=form, why=None)
        if why.is_valid():
            by = access.caller_of(cast(User, request.user))
            return _csv(form.selection, reason=why.cleaned_data["reason"], by=by)
        found = who_looked.entries(form.selection)
        page = CappedPaginator(found, ROWS).get_page(request.GET.get("page"))
        return self._report(
            request,
            400 if why.is_bound else 200,
            form=form,
            why=why,
            page=page,
            looks=[Look.of(entry) for entry in page],
            people=who_looked.people(form.selection),
            most_people=who_looked.MOST_PEOPLE,
        )

    def _report(self, request: HttpRequest, status: int, **context: Any) -> HttpResponseBase:
        template = "admin/filing/trailentry/who_looked.html"
        response = own_page(self, request, template, "Who looked", context)
        response.status_code = status
        return response


def _csv(selection: Selection, *, reason: str, by: Caller) -> HttpResponseBase:
    name = f"who-looked-{selection.since}-to-{selection.until}.csv"
    pieces = who_looked.csv(selection)
    response = attachments.streamed(name, pieces)
    entry: TrailEntry = who_looked.entry_of_download(selection, reason=reason, by=by)
    return deliveries.with_entry(response, entry)
