"""Entries of all kinds, written as the service writes them."""

from __future__ import annotations

from filing import audit, submissions
from filing.access import Caller
from filing.lar.years import Period
from filing.models import Attempt, AuditEvent, Job, Signature, StatusChange, Submission
from filing.receipts import documents

ANN = Caller(id="user-1", username="ann", email="ann@bank.example")


def write(submission: Submission) -> Submission:
    """Write eight entries: three of the audit log, and about the submission and a second one."""
    audit.record_event(AuditEvent.SIGNED_IN, by=ANN, reason="Ünïcödé “quotes” and \\ slashes")
    audit.record_event(AuditEvent.ACCESS_REFUSED, by=None, about="a path")
    lei, period = submission.lei, Period(submission.period.year)
    second = submissions.create_submission(lei=lei, period=period, by=ANN)
    job = Job.objects.create(stage="parse", submission=submission, state="done")
    Attempt.objects.create(job=job, number=1, owner="worker", outcome="done", rows=12)
    StatusChange.objects.create(submission=submission, before=14, after=15, event="SIGNED")
    signature = Signature(
        submission=submission,
        receipt="a receipt",
        signed_at=documents.now_in_milliseconds(),
        sha256="ab" * 32,
    )
    signature.claims = documents.write_claims(signature, unchecked={})
    signature.save()
    audit.record_event(AuditEvent.SIGNED_OUT, by=ANN, lei=lei)
    return second
