"""The audit log and its chain, status changes, signatures, receipts, and the report "Who looked".

Entries are written once and never changed. The report is for privacy officers: a page, and its CSV.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, prefetch_related_objects
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods

from filing import audit, day_hours, requests
from filing.access import Caller, person_with_email
from filing.admin import search
from filing.admin.forms import ReasonForm, find_caller
from filing.admin.institution_columns import BesideLei, BesideSubmission
from filing.admin.own_pages import OwnPages, WithOwnPages, WithPageLinks, render_own_page
from filing.admin.tables import SUBMISSION, CappedPaginator, KnownValuesFilter, ReadOnlyAdmin
from filing.audit.chain import EVIDENCE_TABLES
from filing.files import responses
from filing.models import (
    ChainCheck,
    EntryRemoval,
    ReceiptKey,
    Seal,
    Signature,
    SignedReceipt,
    StatusChange,
    TrailEntry,
)
from filing.people.institutions import normalize_lei
from filing.statuses import Event, Status
from filing.submissions import who_looked
from filing.submissions.who_looked import RecordView, ViewSelection
from uliapi.checkdigit import LEI_LENGTH

DAYS = 30  # that the report begins with
ROWS = 50  # on a page
_DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
_EMAIL = {search.TermShape.ADDRESS, search.TermShape.DOMAIN}
_DIGITS = 18  # of a position; longer ones do not fit into its column


class SelectionForm(forms.Form):
    """What the report covers."""

    since = forms.DateField(label="From", widget=_DAY)
    until = forms.DateField(label="To", widget=_DAY)
    lei = forms.CharField(label="LEI", required=False, max_length=40)
    submission = forms.CharField(
        required=False,
        max_length=60,
        help_text="Its complete name, such as 529900TESTBANK000042-2024-1.",
    )
    person = forms.CharField(
        required=False, max_length=255, help_text="A complete user name or email address."
    )
    event = forms.ChoiceField(required=False)

    def __init__(self, data: Any) -> None:
        today = day_hours.today()
        first = {"since": today - timedelta(days=DAYS), "until": today}
        super().__init__(first | {key: value for key, value in data.items() if value})
        events = [(event.value, event.label.capitalize()) for event in who_looked.EVENTS]
        self.fields["event"].choices = [("", "All"), *events]  # type: ignore[attr-defined]

    def clean_lei(self) -> str:
        lei = normalize_lei(self.cleaned_data["lei"])
        if len(lei) > LEI_LENGTH:
            raise forms.ValidationError(f"Enter an LEI of {LEI_LENGTH} letters and digits.")
        return lei

    def clean_until(self) -> Any:
        until, since = self.cleaned_data["until"], self.cleaned_data.get("since")
        if since and until < since:
            raise forms.ValidationError("Enter a day on or after the first one.")
        return until

    @property
    def selection(self) -> ViewSelection:
        """The selection of a valid form."""
        return ViewSelection(**self.cleaned_data)


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
            by = find_caller(request)
            return _csv(form.selection, reason=why.cleaned_data["reason"], by=by)
        views = who_looked.find_views(form.selection)
        page = CappedPaginator(views, ROWS).get_page(request.GET.get("page"))
        return self._report(
            request,
            400 if why.is_bound else 200,
            form=form,
            why=why,
            page=page,
            looks=[RecordView.of(entry) for entry in page],
            people=who_looked.count_views_by_person(form.selection),
            most_people=who_looked.MOST_PEOPLE,
        )

    def _report(self, request: HttpRequest, status: int, **context: Any) -> HttpResponseBase:
        template = "admin/filing/trailentry/who_looked.html"
        response = render_own_page(self, request, template, "Who looked", context)
        response.status_code = status
        return response


def _csv(selection: ViewSelection, *, reason: str, by: Caller) -> HttpResponseBase:
    name = f"who-looked-{selection.since}-to-{selection.until}.csv"
    pieces = who_looked.write_views_csv(selection)
    response = responses.stream_attachment(name, pieces)
    entry: TrailEntry = who_looked.make_download_entry(selection, reason=reason, by=by)
    return audit.attach_entry(response, entry)


class AfterFilter(KnownValuesFilter):
    """Filters status changes by the new status."""

    title = "new status"
    parameter_name = "after"
    values = tuple((str(status.value), f"{status.value} {status.message}") for status in Status)


@admin.register(TrailEntry)
class TrailEntryAdmin(WithPageLinks, BesideLei, WhoLooked, ReadOnlyAdmin):
    """Sign-ins, refused access, and everything people did except status changes."""

    how_rows_come = "Sign-ins, downloads and changes are recorded here."
    list_display = [
        "at",
        "event",
        "actor_username",
        "actor_email",
        "address",
        "lei",
        "of_institution",
        "about",
        "reason",
        "times",
        "request_id",
    ]
    readonly_fields = ["of_institution", "times"]
    list_filter = ["event"]
    date_hierarchy = "at"
    ordering = ["-at", "-id"]
    sortable_by = ["at"]
    search_fields = ["about"]  # turns the search on; search_condition decides where to look
    search_help_text = (
        "Search by LEI, email address or domain, network address, whole user name, subject id or "
        "request id, or a part of what the entry is about."
    )

    @admin.display(description="times", empty_value="")
    def times(self, entry: TrailEntry) -> str | None:
        """Return how often it happened within its minute from one address; blank for once."""
        repetition = getattr(entry, "repetition", None)
        return f"{repetition.times:,}" if repetition and repetition.times > 1 else None

    def add_column_data(self, rows: list[TrailEntry]) -> None:
        prefetch_related_objects(rows, "repetition")

    def search_condition(self, term: search.SearchTerm) -> Q:
        if lei := search.find_lei(term):
            return Q(lei=lei)
        return _of_actor(term, "actor_email") or (
            Q(actor_id=term.value)
            | Q(actor_username=term.value)
            | Q(request_id=requests.normalize_request_id(term.value))
            | Q(about__icontains=term.value)
        )


@admin.register(StatusChange)
class StatusChangeAdmin(BesideSubmission, ReadOnlyAdmin):
    """Every status change of a submission: who, when and why."""

    related = SUBMISSION
    list_display = [
        "at",
        "submission",
        "of_institution",
        "event",
        "before",
        "after",
        "actor",
        "address",
        "request_id",
        "reason",
    ]
    list_filter = [AfterFilter]
    date_hierarchy = "at"
    ordering = ["-at", "-id"]
    sortable_by = ["at"]
    search_fields = ["event"]  # turns the search on; search_condition decides where to look
    search_help_text = (
        "Search by LEI, institution, receipt number, file name, email address or domain, network "
        "address, or whole user name, event or request id."
    )

    @admin.display(description="by")
    def actor(self, change: StatusChange) -> str:
        return person_with_email(change)

    def search_condition(self, term: search.SearchTerm) -> Q:
        if of_actor := _of_actor(term, "actor_email"):
            return of_actor
        if term.value.upper() in Event.__members__:
            return Q(event=term.value.upper())
        if term.shape is search.TermShape.TEXT:
            request_id = requests.normalize_request_id(term.value)
            for condition in (Q(actor_username=term.value), Q(request_id=request_id)):
                if StatusChange.objects.filter(condition).exists():
                    return condition
        return search.match_rows(StatusChange, term)


@admin.register(Signature)
class SignatureAdmin(BesideSubmission, ReadOnlyAdmin):
    """Who signed which file, and the receipt number."""

    related = SUBMISSION
    list_display = ["receipt", "signed_at", "signer", "submission", "of_institution"]
    date_hierarchy = "signed_at"
    ordering = ["-signed_at"]
    sortable_by = ["receipt", "signed_at"]
    search_fields = ["receipt"]  # turns the search on; search_condition decides where to look
    search_help_text = (
        "Search by receipt number, SHA-256, LEI, institution, file name, email address or domain, "
        "or whole user name."
    )

    @admin.display(description="signed by")
    def signer(self, signature: Signature) -> str:
        return person_with_email(signature)

    def search_condition(self, term: search.SearchTerm) -> Q:
        if term.shape is search.TermShape.SHA256:
            return Q(sha256=term.value)
        if term.shape in _EMAIL:
            return search.match_email_addresses("signer_email", term)
        return search.match_rows(Signature, term, Q(signer_username=term.value))


def _of_actor(term: search.SearchTerm, email: str) -> Q | None:
    """Return the condition on who acted or from which address; none for other search terms."""
    if term.shape in _EMAIL:
        return search.match_email_addresses(email, term)
    return Q(address=term.value) if term.shape is search.TermShape.NETWORK else None


@admin.register(ChainCheck)
class ChainCheckAdmin(ReadOnlyAdmin):
    """Every verification of the audit log, newest first, with its findings."""

    list_display = ["began_at", "is_full", "verified", "entries", "finding_count"]
    list_filter = ["is_full"]
    fields = [
        "began_at", "ended_at", "is_full", "verified", "entries", "head", "finding_count",
        "found",
    ]  # fmt: skip
    readonly_fields = ["verified", "found"]
    ordering = ["-began_at"]
    sortable_by = ["began_at"]

    @admin.display(description="entries read")
    def verified(self, check: ChainCheck) -> str:
        return f"{check.entries - check.after:,}"

    @admin.display(description="findings", empty_value="None")
    def found(self, check: ChainCheck) -> SafeString | None:
        """Return the findings as a list."""
        if not check.findings:
            return None
        return format_html_join("", "<p>{}</p>", ((sentence,) for sentence in check.findings))


@admin.register(Seal)
class SealAdmin(ReadOnlyAdmin):
    """The seals of the entries that are evidence."""

    list_display = ["number", "sealed_at", "entries", "adopted", "kid", "hash"]
    list_filter = ["adopted"]
    ordering = ["-number"]
    sortable_by = ["number"]
    search_fields = ["hash"]  # turns the search on; search_condition decides where to look
    search_help_text = "Search by number, or by the complete hash of a seal."

    def search_condition(self, term: search.SearchTerm) -> Q | None:
        if not term.value:
            return None
        if term.value.isascii() and term.value.isdigit() and len(term.value) <= _DIGITS:
            return Q(number=term.value)
        return Q(hash=term.value.lower())


@admin.register(EntryRemoval)
class EntryRemovalAdmin(ReadOnlyAdmin):
    """Entries that were removed under a retention rule."""

    list_display = ["at", "of_table", "number", "rule"]
    fields = ["at", "of_table", "number", "rule", "fingerprint"]
    readonly_fields = ["of_table", "number"]
    ordering = ["-at", "-id"]
    sortable_by = ["at"]

    @admin.display(description="table")
    def of_table(self, removal: EntryRemoval) -> str:
        table = EVIDENCE_TABLES.get(removal.table)
        return table.label if table else removal.table

    @admin.display(description="entries")
    def number(self, removal: EntryRemoval) -> str:
        return f"{len(removal.entries):,}"


@admin.register(ReceiptKey)
class ReceiptKeyAdmin(ReadOnlyAdmin):
    """The public keys of receipts; they are kept for good."""

    list_display = ["kid", "created_at"]
    ordering = ["-created_at"]
    sortable_by = ["created_at"]


@admin.register(SignedReceipt)
class SignedReceiptAdmin(ReadOnlyAdmin):
    """The receipts as they were issued, each with its proof and key."""

    related = ["signature", "key"]
    list_display = ["signature", "issued_at", "key"]
    fields = ["signature", "issued_at", "key", "jws"]
    date_hierarchy = "issued_at"
    ordering = ["-issued_at", "-id"]
    sortable_by = ["issued_at"]
    search_fields = ["signature"]  # turns the search on; search_condition decides where to look
    search_help_text = "Search by complete receipt number or key ID."

    def search_condition(self, term: search.SearchTerm) -> Q | None:
        if not term.value:
            return None
        return Q(signature__receipt=term.value) | Q(key__kid=term.value)
