"""What staff do to submissions: retry, run the edits again, end, send the receipt again."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest

from filing.admin.actions import Action, WithActions
from filing.models import Mail, Submission
from filing.submissions import interventions

ACT = "filing.act_on_submission"


def _moved(submission: Submission) -> str:
    """Return what differs once the submission was moved, or its work put into the queue anew."""
    queued = max((job.queued_at.isoformat() for job in submission.jobs.all()), default="")
    return f"{submission.changed_at.isoformat()} {queued}"


def _receipts(submission: Submission) -> str:
    return str(sum(mail.kind == "receipt" for mail in submission.mails.all()))


ACTIONS = (
    Action(
        name="retry",
        label="Retry the stopped stage",
        does="Runs the failed stage again, or notifies the workers of one that is queued.",
        permission=ACT,
        plan=interventions.plan_retry,
        run=interventions.retry,
        version=_moved,
    ),
    Action(
        name="run_edits_again",
        label="Run the edits again",
        does="Runs all edits again on the same file, as after a change of reference data. The "
        "verification of the filer is removed.",
        permission=ACT,
        plan=interventions.plan_run_edits_again,
        run=interventions.run_edits_again,
        version=_moved,
    ),
    Action(
        name="stop",
        label="Stop with a message to the filer",
        does="Stops the submission (status -1). Its filer must start a new one.",
        permission=ACT,
        plan=interventions.plan_stop,
        run=interventions.stop,
        asks="Message to the filer",
        hint="Why it was stopped and what to do now. It is emailed to whoever uploaded the file.",
    ),
    Action(
        name="send_receipt_again",
        label="Send the receipt again",
        does="Emails the receipt again to the signer and the contact on the transmittal sheet.",
        permission="filing.resend_receipt",
        plan=interventions.plan_send_receipt_again,
        run=interventions.send_receipt_again,
        version=_receipts,
    ),
)


class SubmissionActions(WithActions):
    """Offers what can be done about a submission. None of it changes a signed one."""

    staff_actions = ACTIONS

    def things(self, request: HttpRequest) -> QuerySet[Submission]:
        mails = Mail.objects.filter(kind="receipt").select_related("job").defer("text")
        return Submission.objects.select_related(
            "filing__institution", "filing__period", "signature"
        ).prefetch_related("jobs", Prefetch("mails", mails))
