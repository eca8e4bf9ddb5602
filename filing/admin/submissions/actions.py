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
        does="Begins the stage anew that has failed, or tells the workers of one that waits.",
        permission=ACT,
        plan=interventions.plan_retry,
        run=interventions.retry,
        version=_moved,
    ),
    Action(
        name="run_edits_again",
        label="Run the edits again",
        does="Runs all edits anew on the same file, as after a change of reference data. What the "
        "filer has verified is taken back.",
        permission=ACT,
        plan=interventions.plan_run_edits_again,
        run=interventions.run_edits_again,
        version=_moved,
    ),
    Action(
        name="stop",
        label="End with a message to the filer",
        does="Ends the submission at -1. Its filer must begin a new one.",
        permission=ACT,
        plan=interventions.plan_stop,
        run=interventions.stop,
        asks="Message to the filer",
        hint="Why it was ended and what to do now. It is mailed to who uploaded the file.",
    ),
    Action(
        name="send_receipt_again",
        label="Send the receipt again",
        does="Mails the receipt again to who signed and to the contact on the transmittal sheet.",
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
