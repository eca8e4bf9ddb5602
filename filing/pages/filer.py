"""Base classes of the filers' pages: who may see them, how refusals are shown, records for staff.

Staff see the same pages but cannot change anything there; the pages they open are recorded. Records
are shown to them only for a reason, which a page asks for; the audit log has each such answer.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.generic import View

from filing import access, audit, standing, submissions
from filing.access import AccessDenied, Right
from filing.errors import AlreadyExists, Forbidden, NotFound, Refusal
from filing.lar.years import Period, describe_missing_rules
from filing.models import AuditEvent, Submission
from filing.pages import states
from filing.people import institutions
from filing.periods import filings
from filing.statuses import VERIFIABLE, Status
from filing.submissions import halts, overview, ownership, results, rules_run, who_looked
from filing.submissions.overview import DueFiling
from filing.submissions.rules_comparison import find_next_rules

_NOT = "You do not act for this institution."
NOT_YOURS = f"{_NOT} If you should, choose it under Your institutions or contact the help desk."
READ_ONLY = "You see these pages as staff. Only users of the institution can change a filing."
NOT_FOR_STAFF = (
    "You see these pages as staff. Download the file from the submission's page in the admin, "
    "which asks for a reason."
)
_SIGNED_OUT = "You are signed out. Sign in again."
_READS = ("GET", "HEAD")
_PART = "HX-Request"  # the header of a request for a part of the page
STAFF_ONLY = "Only staff who may view submissions are asked for a reason."
_TOO_SHORT = (
    f"Enter a sentence of at least {who_looked.SHORTEST_REASON} characters, such as: The filer "
    "asks why line 17 triggers V617."
)


def may_view(user: User) -> bool:
    """Tell whether a user may see the pages of all institutions as staff."""
    return user.is_staff and user.has_perm("filing.view_submission")


class RefusingPage(View):
    """A view that shows a refusal as a page with its message and status."""

    http_method_names = ["get", "head"]

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        try:
            self.open(**where)
            return self.respond(request, *args, **where)
        except Refusal as refusal:
            text = refusal.message
            if isinstance(refusal, AccessDenied):
                period = getattr(self, "period", None)
                why = access.explain_denial(cast(User, request.user), where.get("lei", ""), period)
                text = f"{_NOT} {why}" if why else NOT_YOURS
            return self.show("refused", status=refusal.status, text=text)

    def respond(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        """Return the answer, once the objects of the page are read."""
        return super().dispatch(request, *args, **where)

    def open(self, **where: Any) -> None:
        """Read the objects of the page, for a caller who may see it.

        Raises: AccessDenied; NotFound.
        """

    @cached_property
    def caller(self) -> access.Caller:
        """The user of the request."""
        return access.caller_of(cast(User, self.request.user))

    def show(self, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
        """Return a page, with the context that all pages of the class share."""
        name = f"filing/pages/{template}.html"
        return render(self.request, name, {**self.shared_context(), **context}, status=status)

    def shared_context(self) -> dict[str, Any]:
        """Return the context that all templates of the class need."""
        return {}

    def redirect_after_post(self, to: str, *where: Any, message: str = "") -> HttpResponse:
        """Send the browser to an address, or to the page of a name, with a message if any."""
        if message:
            messages.success(self.request, message)
        response = redirect(to, *where)
        response.status_code = HTTPStatus.SEE_OTHER
        return response


@method_decorator(never_cache, name="dispatch")
class FilerPage(LoginRequiredMixin, RefusingPage):
    """A page for every signed-in user."""

    @property
    def is_part(self) -> bool:
        """Whether an open page requests a part of itself."""
        return _PART in self.request.headers

    @property
    def next_address(self) -> str:
        """The address to open after signing in; for a form, the page to submit it from again."""
        return self.request.get_full_path()

    def handle_no_permission(self) -> HttpResponseBase:  # type: ignore[override]
        """Redirect to the sign-in page, also from a page that refreshes a part of itself."""
        if not self.is_part:
            return redirect_to_login(self.next_address)
        page = urlencode({"next": self.next_address})
        return HttpResponse(status=204, headers={"HX-Redirect": f"{resolve_url('sign-in')}?{page}"})


class ScriptAddress(FilerPage):
    """An address for the script of a page: refusals are JSON."""

    def handle_no_permission(self) -> HttpResponseBase:  # type: ignore[override]
        """Refuse: a script cannot sign in."""
        return _answer_refusal(HTTPStatus.UNAUTHORIZED, _SIGNED_OUT)

    def show(self, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
        """Return a refusal."""
        return _answer_refusal(status, context["text"])


def _answer_refusal(status: int, message: str) -> HttpResponse:
    return JsonResponse({"httpStatus": status, "message": message}, status=status)


class InstitutionPage(FilerPage):
    """A page of one institution, for its filers, and read-only for staff."""

    is_for_staff = True
    staff_refusal = NOT_FOR_STAFF  # of a page that is not for staff
    reading_needs = Right.READ
    changing_needs = Right.PREPARE
    period: Period | None = None
    lei = ""  # blank until the caller's access is checked
    rights: frozenset[Right] = frozenset()
    is_read_only = False

    def open(self, **where: Any) -> None:
        lei = where["lei"]
        self.rights = access.find_rights(self.caller, lei, self.period)
        if Right.READ not in self.rights:
            self._open_to_staff()
        else:
            is_reading = self.request.method in _READS
            needs = self.reading_needs if is_reading else self.changing_needs
            if needs not in self.rights:
                access.require_right(self.caller, needs, lei, self.period)
        self.lei = lei

    def shared_context(self) -> dict[str, Any]:
        names = institutions.find_institution_names([self.lei]) if self.lei else {}
        return {
            "lei": self.lei,
            "institution": names.get(self.lei, ""),
            "is_read_only": self.is_read_only,
            "can_prepare": Right.PREPARE in self.rights,
            "can_sign": Right.SIGN in self.rights,
            "can_belong": Right.BELONG in self.rights,
            "can_manage": Right.MANAGE in self.rights,
            "can_connect": Right.CONNECT in self.rights,
            "limits": self.limits,
        }

    @cached_property
    def limits(self) -> str:
        """What a filer may not do here, and why; blank for others and who may do all."""
        if Right.READ not in self.rights:
            return ""
        return access.describe_limits(self.caller, self.rights, self.lei, self.period)

    def _open_to_staff(self) -> None:
        if not may_view(cast(User, self.request.user)):
            raise AccessDenied
        if self.request.method not in _READS:
            raise Forbidden(READ_ONLY)
        if not self.is_for_staff:
            raise Forbidden(self.staff_refusal)
        self.is_read_only = True


class PeriodPage(InstitutionPage):
    """A page of one institution and period."""

    period: Period

    def open(self, **where: Any) -> None:
        quarter = where.get("quarter")
        self.period = Period(int(where["year"]), int(quarter[1]) if quarter else None)
        super().open(**where)

    def shared_context(self) -> dict[str, Any]:
        if not self.lei:
            return super().shared_context()
        period = {"period": self.period, "filing_url": self.address("filing-period")}
        return {**super().shared_context(), **period}

    @cached_property
    def due(self) -> DueFiling:
        """The filing of the institution in this period, started or not. Raises: NotFound."""
        dues = overview.find_due_filings([self.lei], self.period)
        if not dues:
            why = describe_missing_rules(self.period) or f"There is no filing for {self.period}."
            raise NotFound(f"{why} This institution cannot file for it.")
        return dues[0]

    def find_or_create_submission(self) -> Submission:
        """Start the filing if needed, and return a submission that waits for its file."""
        if self.due.filing is None:
            with suppress(AlreadyExists):  # created by a simultaneous request
                filings.start_filing(lei=self.lei, period=self.period, by=self.caller)
        return submissions.find_or_create_submission(
            lei=self.lei, period=self.period, by=self.caller
        )

    def address(self, name: str, **more: int | str) -> str:
        """Return the address of another page of the same institution and period."""
        return states.build_page_address(name, self.lei, self.period, **more)

    def go(self, name: str, **more: int | str) -> HttpResponse:
        """Send the browser to another page of the same institution and period."""
        address = self.address(name, **more)
        return (
            self.redirect_after_post(address)
            if self.request.method == "POST"
            else redirect(address)
        )


class SubmissionPage(PeriodPage):
    """A page of one submission."""

    submission: Submission
    _is_open = False

    def open(self, **where: Any) -> None:
        super().open(**where)
        number = int(where["number"])
        missing = results.refuse_submission_not_found(self.lei, self.period, number)
        self.submission = results.find_submission(self.lei, self.period, number, missing=missing)
        self._is_open = True

    def respond(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        """Return the answer; to staff, records only for a reason."""
        view = partial(super().respond, request, *args, **where)
        if not self.is_read_only:
            return view()
        records = self.records(**where)
        if records and (question := ask_records_reason(request, self.submission)):
            return question
        if not self.is_part:
            self._record_view()
        return answer_with_records(request, self.submission, records, view) if records else view()

    def records(self, **where: Any) -> str:
        """Return which records the page shows, for the audit log; blank for a page without any."""
        return ""

    @cached_property
    def halt(self) -> halts.Halt | None:
        """What holds the submission up, if anything does."""
        return halts.find_halt(self.submission)

    @cached_property
    def state(self) -> states.PageState:
        """The state of the submission, with the next step."""
        return states.describe_submission_state(self.submission, halt=self.halt, notice=self.notice)

    def shared_context(self) -> dict[str, Any]:
        if not self._is_open:
            return super().shared_context()
        is_unsigned = self.submission.status != Status.SIGNED
        return {
            **super().shared_context(),
            "submission": self.submission,
            "counting": self.counting,
            "notice": self.notice,
            "is_discardable": is_unsigned
            and not self.submission.discarded_at
            and Right.PREPARE in self.rights,
            "state": self.state,
            "steps": states.list_steps(self.submission, self.state),
            "foreign": ownership.find_foreign_lei(self.submission),
            "unrun": lambda: self.unrun,
            "rules": self.submission.rules_in_sentence,
            "is_unchecked": rules_run.was_signed_without_rules(self.submission),
            "next_rules": self.next_rules,
            "urls": self._addresses(),
        }

    @cached_property
    def next_rules(self) -> int | None:
        """The next year, if its rules can be compared."""
        return find_next_rules(self.submission)

    @cached_property
    def unrun(self) -> list[tuple[str, list[str]]]:
        """Return each reason for which edits were not run, with the codes of its edits."""
        return rules_run.group_reasons_not_run(rules_run.find_unrun_edits(self.submission))

    @cached_property
    def notice(self) -> states.Notice | None:
        """Why the submission does not count, or cannot be signed."""
        last_signed = standing.find_later_signed(self.submission) if self.counting else None
        return states.find_notice(self.submission, self.counting, last_signed)

    @cached_property
    def counting(self) -> Submission | None:
        """The submission of the filing that counts."""
        return standing.find_counting_submission(self.submission.filing)

    def back(self) -> HttpResponse:
        """Send the browser to the submission."""
        return self.go("filing-submission", number=self.submission.sequence_number)

    @property
    def is_verifiable(self) -> bool:
        """Whether the caller may review and verify the edits now."""
        return (
            self.submission.status in VERIFIABLE
            and Right.PREPARE in self.rights
            and not self.submission.discarded_at
            and not self.submission.files_removed_at
            and not ownership.find_foreign_lei(self.submission)
        )

    def go_to_edits(self, part: str) -> HttpResponse:
        """Send the browser to the worklist of edits, or to a part: `#verify` is at its end."""
        response = self.go("filing-edits", number=self.submission.sequence_number)
        response["Location"] += part
        return response

    def _record_view(self) -> None:
        audit.record_event(
            AuditEvent.VIEWED_AS_FILER,
            by=self.caller,
            lei=self.lei,
            about=str(self.submission),
            reason=self.request.path,
        )

    def _addresses(self) -> dict[str, str]:
        number = self.submission.sequence_number
        pages = (
            "submission", "upload", "formatting-errors", "edits", "sign", "receipt", "file",
            "discard",
        )  # fmt: skip
        addresses = {
            page.replace("-", "_"): self.address(f"filing-{page}", number=number) for page in pages
        }
        for kind in ("quality", "macro", "all"):
            addresses[f"verify_{kind}"] = self.address("filing-verify", number=number, edits=kind)
        addresses["new_upload"] = self.address(states.NEW_UPLOAD)
        if following := self.next_rules:
            addresses["next_rules"] = self.address("filing-rules", number=number, rules=following)
        return addresses


def ask_records_reason(request: HttpRequest, submission: Submission) -> HttpResponseBase | None:
    """Return a redirect to the page that asks for the reason; None while there is a valid one."""
    if who_looked.find_view_reason(request.session, submission):
        return None
    address = reverse("filing-records-reason", args=[submission.pk])
    return HttpResponseRedirect(f"{address}?{urlencode({'next': request.get_full_path()})}")


def answer_with_records(
    request: HttpRequest, submission: Submission, what: str, view: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Return the answer of a view, to be recorded; without a valid reason, the question for it.

    what: which records of the submission the answer shows.
    """
    if question := ask_records_reason(request, submission):
        return question
    entry = who_looked.make_view_entry(
        submission,
        what=what,
        reason=who_looked.find_view_reason(request.session, submission),
        by=access.caller_of(cast(User, request.user)),
    )
    response = view()
    # A redirect shows no records.
    return audit.attach_entry(response, entry) if response.status_code == 200 else response


class RecordsReasonForm(forms.Form):
    """Why a member of staff opens records."""

    reason = forms.CharField(
        min_length=who_looked.SHORTEST_REASON,
        max_length=who_looked.LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One sentence, such as: The filer asks why line 17 triggers V617.",
        error_messages={"required": _TOO_SHORT, "min_length": _TOO_SHORT},
    )


class RecordsReasonPage(FilerPage):
    """Asks for the reason, keeps it, and leads on to the page that was requested."""

    http_method_names = ["get", "head", "post"]

    def open(self, **where: Any) -> None:
        if not may_view(cast(User, self.request.user)):
            raise Forbidden(STAFF_ONLY)
        related = Submission.objects.select_related("filing__institution", "filing__period")
        submission = related.filter(pk=where["submission_id"]).first()
        if submission is None:
            raise NotFound("This submission does not exist.")
        self.submission = submission

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self._form(RecordsReasonForm())

    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        form = RecordsReasonForm(request.POST)
        if not form.is_valid():
            return self._form(form, status=400)
        who_looked.keep_view_reason(request.session, self.submission, form.cleaned_data["reason"])
        return self.redirect_after_post(self._next())

    def _form(self, form: RecordsReasonForm, *, status: int = 200) -> HttpResponse:
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
        return states.build_page_address(
            "filing-submission", self.submission.lei, period, number=number
        )


def wants_format(request: HttpRequest, file_format: str) -> bool:
    """Return whether the request is for a download in this format: `csv` or `xlsx`."""
    return request.GET.get("format") == file_format


def describe_download(request: HttpRequest, what: str) -> str:
    """Return what a request is for, with the format of a download: `all edits as CSV`."""
    formats = [each for each in ("csv", "xlsx") if wants_format(request, each)]
    return f"{what} as {formats[0].upper()}" if formats else what
