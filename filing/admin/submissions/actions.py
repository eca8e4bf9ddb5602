"""Staff actions on submissions: retry, run the edits again, stop, send the receipt again."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest

from filing.admin.actions import Action, WithActions
from filing.models import Mail, Submission
from filing.submissions import interventions

ACT = "filing.act_on_submission"


def _status_version(submission: Submission) -> str:
    """Return a text that differs once the status changed or a job was queued again."""
    queued = max((job.queued_at.isoformat() for job in submission.jobs.all()), default="")
    return f"{submission.changed_at.isoformat()} {queued}"


def _receipt_count(submission: Submission) -> str:
    return str(sum(mail.kind == "receipt" for mail in submission.mails.all()))


ACTIONS = (
    Action(
        name="retry",
        label="Retry the stopped stage",
        does="Runs the failed stage again, or notifies the workers of one that is queued.",
        permission=ACT,
        plan=interventions.plan_retry,
        run=interventions.retry,
        version=_status_version,
    ),
    Action(
        name="run_edits_again",
        label="Run the edits again",
        does="Runs all edits again on the same file, for example after reference data changed. "
        "Removes the filer's verification of edits.",
        permission=ACT,
        plan=interventions.plan_run_edits_again,
        run=interventions.run_edits_again,
        version=_status_version,
    ),
    Action(
        name="check_signed",
        label="Run the edits on a file signed without rules",
        does="Runs all edits on a file that was signed in a period that had no rules, once its "
        "year is prepared. Its status, signature and receipt stay as they are.",
        permission=ACT,
        plan=interventions.plan_check_signed,
        run=interventions.check_signed,
        version=_status_version,
    ),
    Action(
        name="stop",
        label="Stop with a message to the filer",
        does="Stops the submission (status -1). The filer must create a new one.",
        permission=ACT,
        plan=interventions.plan_stop,
        run=interventions.stop,
        asks="Message to the filer",
        hint="Why it was stopped and what to do next. Emailed to the user who uploaded the file.",
    ),
    Action(
        name="send_receipt_again",
        label="Send the receipt again",
        does="Emails the receipt again to the signer and the contact on the transmittal sheet.",
        permission="filing.resend_receipt",
        plan=interventions.plan_send_receipt_again,
        run=interventions.send_receipt_again,
        version=_receipt_count,
    ),
)


class SubmissionActions(WithActions):
    """Offers the actions on submissions. None of them changes a signed submission."""

    staff_actions = ACTIONS

    def things(self, request: HttpRequest) -> QuerySet[Submission]:
        mails = Mail.objects.filter(kind="receipt").select_related("job").defer("text")
        return Submission.objects.select_related(
            "filing__institution", "filing__period", "signature"
        ).prefetch_related("jobs", Prefetch("mails", mails))
