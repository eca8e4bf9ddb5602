"""The page that asks staff why they open records of a submission."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme

from filing.errors import Forbidden, NotFound
from filing.models import Submission
from filing.pages import states
from filing.pages.filer import FilerPage, may_view
from filing.submissions import record_views

STAFF_ONLY = "Only staff who may view submissions are asked for a reason."
_TOO_SHORT = (
    f"Enter a sentence of at least {record_views.SHORTEST_REASON} characters, such as: The filer "
    "asks why line 17 triggers V617."
)


class ReasonForm(forms.Form):
    """Why a member of staff opens records."""

    reason = forms.CharField(
        min_length=record_views.SHORTEST_REASON,
        max_length=record_views.LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One sentence, such as: The filer asks why line 17 triggers V617.",
        error_messages={"required": _TOO_SHORT, "min_length": _TOO_SHORT},
    )


class RecordsReason(FilerPage):
    """Asks for the reason, keeps it, and leads on to the page that was requested."""

    http_method_names = ["get", "head", "post"]

    def open(self, **where: Any) -> None:
        if not may_view(cast(User, self.request.user)):
            raise Forbidden(STAFF_ONLY)
        found = Submission.objects.select_related("filing__institution", "filing__period")
        submission = found.filter(pk=where["submission_id"]).first()
        if submission is None:
            raise NotFound("This submission does not exist.")
        self.submission = submission

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self._form(ReasonForm())

    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        form = ReasonForm(request.POST)
        if not form.is_valid():
            return self._form(form, status=400)
        record_views.keep_reason(request.session, self.submission, form.cleaned_data["reason"])
        return HttpResponseRedirect(self._next(), status=HTTPStatus.SEE_OTHER)

    def _form(self, form: ReasonForm, *, status: int = 200) -> HttpResponse:
        minutes = settings.RECORDS_REASON_MINUTES
        context = {"form": form, "submission": self.submission, "minutes": minutes}
        return self.show("records_reason", status=status, **context)

    def _next(self) -> str:
        """Return the address that was requested; the page of the submission if it is not ours."""
        address = self.request.GET.get("next", "")
        if address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None):
            return address
        number = self.submission.sequence_number
        period = self.submission.period
        return states.address("filing-submission", self.submission.lei, period, number=number)
