"""The page of a submission: its status and why, its signature, its timeline, and staff actions."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from filing import standing
from filing.admin.actions import LIMIT as ACTION_LIMIT
from filing.admin.actions import AdminAction, WithActions
from filing.admin.institution_events import list_event_links
from filing.admin.own_pages import OwnPages, WithOwnPages
from filing.admin.submissions import as_filer, subpages
from filing.admin.tables import ReadOnlyAdmin
from filing.edits.edit import EditKind
from filing.lar.fields import TRANSMITTAL_SHEET
from filing.models import EditResult, Mail, Submission
from filing.pages import states
from filing.submissions import (
    interventions,
    reference_checks,
    rules_run,
    status_report,
    timeline,
)

STOP_POLLING = 286  # the HTTP status with which htmx stops polling
MAX_OTHERS = 50
ACT = "filing.act_on_submission"


@require_safe
def show_progress(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Return the status part of the page; when processing has finished, the page reloads."""
    current = status_report.report_status(submission)
    context = {
        "submission": submission,
        "standing": current,
        "since": status_report.describe_age(current.since),
    }
    response = TemplateResponse(request, "admin/filing/submission/standing.html", context)
    if current.is_settled:
        response.status_code = STOP_POLLING
        response["HX-Refresh"] = "true"
    return response


# Name, address and view of each page below the page of a submission.
SUBPAGES: list[tuple[str, str, subpages.SubpageView]] = [
    ("progress", "progress/", show_progress),
    ("hash", "hash/", subpages.check_file_hash),
    ("file", "file/", subpages.download_file),
    ("edits", "edits/", subpages.show_edits),
    ("edits_csv", "edits/csv/", subpages.download_edits),
    ("edit", "edits/<slug:code>/", subpages.show_edit),
    ("edit_csv", "edits/<slug:code>/csv/", subpages.download_edit),
    ("format_errors", "format-errors/", subpages.show_formatting_errors),
    ("format_errors_csv", "format-errors/csv/", subpages.download_formatting_errors),
    ("compare", "compare/", subpages.show_comparison),
    ("compare_csv", "compare/csv/", subpages.download_comparison),
    ("as_filer", "as-filer/", as_filer.show_api_responses),
]


class SubmissionAdminPage(WithOwnPages, ReadOnlyAdmin):
    """The page of a submission, read-only."""

    change_form_template = "admin/filing/submission/page.html"
    fields = ["sequence_number"]  # Django needs one; the template shows the rest

    def own_pages(self) -> OwnPages:
        """Return the pages below the page of a submission."""
        below = (
            (f"<int:object_id>/{address}", subpages.as_subpage(view), name)
            for name, address, view in SUBPAGES
        )
        return (*below, *super().own_pages())

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Submission | None:
        """Return the submission without the joins of the list."""
        return subpages.find_submission(object_id)

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Submission | None = None,
    ) -> HttpResponse:
        if obj:
            context |= _facts(obj) | {"title": f"Submission {obj}", "subtitle": None}
            context["events"] = list_event_links(obj.lei, request)
        return super().render_change_form(request, context, add, change, form_url, obj)


def _facts(submission: Submission) -> dict[str, Any]:
    current = status_report.report_status(submission)
    results = list(EditResult.objects.filter(submission=submission).order_by("code", "level"))
    rows = Submission.objects.filter(filing=submission.filing_id).select_related("signature")
    newest = (
        standing.with_remark(rows)
        .annotate(counts=standing.is_counting())
        .order_by("-sequence_number")
    )
    of_filing = list(newest[:MAX_OTHERS])
    for other in of_filing:
        other.filing = submission.filing  # saves the queries that its name would need
    return {
        "submission": submission,
        "standing": current,
        "since": status_report.describe_age(current.since),
        "timeliness": status_report.describe_timeliness(submission),
        "signature": getattr(submission, "signature", None),
        "receipt_url": states.build_page_address(
            "filing-receipt",
            submission.lei,
            submission.period,
            number=submission.sequence_number,
        ),
        "moments": timeline.read_timeline(submission),
        "kinds": _by_kind(results),
        "not_run": [result for result in results if result.not_run],
        "rules": submission.rules_in_sentence,
        "is_unchecked": rules_run.was_signed_without_rules(submission),
        "of_filing": of_filing,
        "sheet": _sheet(submission),
    }


def _by_kind(results: list[EditResult]) -> list[tuple[str, list[EditResult], int]]:
    """Return, for each kind, the results of its triggered edits and their number of records."""
    by_kind: dict[str, list[EditResult]] = {kind.value: [] for kind in EditKind}
    for result in results:
        if result.total:
            by_kind[result.kind].append(result)
    return [
        (kind, triggered, sum(result.total for result in triggered))
        for kind, triggered in by_kind.items()
    ]


def _sheet(submission: Submission) -> list[tuple[str, str]]:
    """Return the labels and values of the transmittal sheet; none before it was read."""
    values = submission.transmittal_sheet or {}
    if not values:
        return []
    return [(field.label, str(values.get(field.name, ""))) for field in TRANSMITTAL_SHEET]


def _status_version(submission: Submission) -> str:
    """Return a text that differs once the status changed or a job was queued again."""
    queued = max((job.queued_at.isoformat() for job in submission.jobs.all()), default="")
    return f"{submission.changed_at.isoformat()} {queued}"


def _receipt_count(submission: Submission) -> str:
    return str(sum(mail.kind == "receipt" for mail in submission.mails.all()))


ACTIONS = (
    AdminAction(
        name="retry",
        label="Retry the stopped stage",
        does="Runs the failed stage again, or notifies the workers of one that is queued.",
        permission=ACT,
        act="Retry {}",
        plan=interventions.plan_retry_stage,
        run=interventions.retry_stage,
        version=_status_version,
    ),
    AdminAction(
        name="run_edits_again",
        label="Run the edits again",
        does="Runs all edits again on the same file, for example after reference data changed. "
        "Removes the filer's verification of edits.",
        permission=ACT,
        act="Run the edits on {} again",
        plan=interventions.plan_run_edits_again,
        run=interventions.run_edits_again,
        version=_status_version,
    ),
    AdminAction(
        name="check_signed",
        label="Run the edits on a file signed without rules",
        does="Runs all edits on a file that was signed in a period that had no rules, once its "
        "year is prepared. Its status, signature and receipt stay as they are.",
        permission=ACT,
        act="Run the edits on {}",
        plan=interventions.plan_check_signed,
        run=interventions.check_signed,
        version=_status_version,
    ),
    AdminAction(
        name="stop",
        label="Stop with a message to the filer",
        does="Stops the submission with status -1 and emails your message. The filer has to create "
        "a new one.",
        permission=ACT,
        act="Stop {}",
        plan=interventions.plan_stop_submission,
        run=interventions.stop_submission,
        asks="Message to the filer",
        hint="Why it was stopped and what to do next. Emailed to the user who uploaded the file.",
    ),
    AdminAction(
        name="send_receipt_again",
        label="Send the receipt again",
        does="Emails the receipt again to the signer and the contact on the transmittal sheet.",
        permission="filing.resend_receipt",
        act="Send the receipt of {} again",
        plan=interventions.plan_send_receipt_again,
        run=interventions.send_receipt_again,
        version=_receipt_count,
    ),
)


class SubmissionActions(WithActions):
    """Offers the actions on submissions. None of them changes a signed submission."""

    staff_actions = ACTIONS

    def own_pages(self) -> OwnPages:
        """Return the page that previews an action on all submissions that need it."""
        again = require_safe(self.run_former_again)
        return (("former/run-again/", again, "run_former_again"), *super().own_pages())

    def run_former_again(self, request: HttpRequest) -> HttpResponse:
        """Preview running the edits again on what was checked with former reference data."""
        former = reference_checks.find_checked_with_former_data().order_by("pk")
        keys = list(former.values_list("pk", flat=True)[:ACTION_LIMIT])
        return self.preview_action(request, "run_edits_again", keys)

    def things(self, request: HttpRequest) -> QuerySet[Submission]:
        mails = Mail.objects.filter(kind="receipt").select_related("job").defer("text")
        return Submission.objects.select_related(
            "filing__institution", "filing__period", "signature"
        ).prefetch_related("jobs", Prefetch("mails", mails))
