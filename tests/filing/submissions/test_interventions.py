"""What staff do to a submission that does not move, and what nobody can do to a signed one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from filing import storage, submissions
from filing.access import Caller
from filing.errors import BadInput, LostLease, NotReady, Refusal
from filing.jobs import claims, loop, queue
from filing.models import (
    Attempt,
    EditResult,
    Job,
    Mail,
    PostponedRemoval,
    Signature,
    StatusChange,
    Submission,
)
from filing.statuses import MOVES, Event, Status
from filing.submissions import interventions, pipeline
from tests.filing.submissions.stages import analysed, fail_it, signed, uploaded, work  # noqa: F401 -- fixtures

pytestmark = pytest.mark.django_db

OPERATOR = Caller(id="user:7", username="olga", email="olga@service.example")
WHY = "The disk of the worker was full."
ACTIONS: dict[str, Callable[..., str]] = {
    "retry": interventions.retry_stage,
    "run_edits_again": interventions.run_edits_again,
    "stop": interventions.stop_submission,
}
PLANS: dict[str, Callable[[Submission], str]] = {
    "retry": interventions.plan_retry_stage,
    "run_edits_again": interventions.plan_run_edits_again,
    "stop": interventions.plan_stop_submission,
}


# --- retry


def test_a_stage_that_failed_is_retried_and_comes_to_rest(uploaded):
    fail_it(uploaded)()
    assert "parse stage runs again" in interventions.plan_retry_stage(uploaded)
    interventions.retry_stage(uploaded, by=OPERATOR, reason=WHY)
    job = Job.objects.get(submission=uploaded, stage="parse")
    assert (job.state, job.attempts) == ("queued", 0)
    change = uploaded.changes.last()
    assert (change.event, change.before, change.after) == ("PARSE_RETRIED", -1, 3)
    assert (change.actor_username, change.reason) == ("olga", WHY)
    work(uploaded)
    assert uploaded.status == Status.QUALITY_ERRORS
    assert uploaded.failure == ""


def test_of_two_stages_the_one_that_failed_is_retried(analysed):
    interventions.run_edits_again(analysed, by=OPERATOR, reason=WHY)
    fail_it(analysed)()
    interventions.retry_stage(analysed, by=OPERATOR, reason=WHY)
    assert analysed.changes.last().event == "EDITS_RETRIED"
    work(analysed)
    assert analysed.status == Status.QUALITY_ERRORS
    assert Job.objects.get(submission=analysed, stage="parse").attempts == 1


def test_without_its_file_a_submission_cannot_be_retried(uploaded):
    fail_it(uploaded)
    with pytest.raises(NotReady, match=r"not in storage.*upload it again"):
        interventions.retry_stage(uploaded, by=OPERATOR, reason=WHY)
    uploaded.refresh_from_db()
    assert uploaded.status == Status.FAILED


def test_a_job_whose_worker_is_gone_is_called_for_again(uploaded):
    gone = claims.claim_job(Job.objects.get(stage="parse").pk)
    assert gone is not None
    Job.objects.filter(stage="parse").update(lease_until=timezone.now() - timedelta(seconds=1))
    interventions.retry_stage(uploaded, by=OPERATOR, reason=WHY)
    assert Attempt.objects.get(job__stage="parse").outcome == "lost"
    with pytest.raises(LostLease), transaction.atomic():
        gone.finish()
    work(uploaded)
    assert uploaded.status == Status.QUALITY_ERRORS


def test_who_is_at_work_is_left_alone(uploaded):
    assert claims.claim_job(Job.objects.get(stage="parse").pk)
    with pytest.raises(NotReady, match=r"A worker is running the parse stage: line 0 of 0\."):
        interventions.retry_stage(uploaded, by=OPERATOR, reason=WHY)


def test_of_two_who_retry_one_is_told_that_the_other_was_first(uploaded):
    fail_it(uploaded)()
    mine, theirs = (
        Submission.objects.prefetch_related("jobs").get(pk=uploaded.pk) for _ in range(2)
    )
    interventions.retry_stage(mine, by=OPERATOR, reason=WHY)
    with pytest.raises(NotReady, match="changed by another user"):
        interventions.retry_stage(theirs, by=OPERATOR, reason=WHY)
    assert uploaded.changes.filter(event="PARSE_RETRIED").count() == 1


def test_of_two_who_call_the_workers_again_one_is_told(uploaded):
    mine, theirs = (
        Submission.objects.prefetch_related("jobs").get(pk=uploaded.pk) for _ in range(2)
    )
    interventions.retry_stage(mine, by=OPERATOR, reason=WHY)
    with pytest.raises(NotReady, match="has just taken it up"):
        interventions.retry_stage(theirs, by=OPERATOR, reason=WHY)
    assert uploaded.changes.filter(event="WORKERS_TOLD_AGAIN").count() == 1


# --- run the edits again


def test_edits_are_run_again_and_what_was_verified_is_taken_back(analysed, filer):
    verified = submissions.verify_edits(analysed, "quality", verified=True, by=filer)
    assert verified.status == Status.VERIFIED
    assert "must be verified again" in interventions.plan_run_edits_again(verified)
    before = list(EditResult.objects.values("code", "total", "position", "listed"))
    folder = verified.edits_folder
    interventions.run_edits_again(verified, by=OPERATOR, reason="The census was loaded anew.")
    change = verified.changes.last()
    assert (change.event, change.before, change.after) == ("EDITS_RUN_AGAIN", 14, 6)
    # Until the new ones are there, the old ones can be read.
    assert default_storage.exists(f"{folder}/{storage.FINDINGS}")
    assert list(EditResult.objects.values("code", "total", "position", "listed")) == before
    work(verified)
    assert verified.status == Status.QUALITY_ERRORS
    assert not verified.quality_verified
    assert list(EditResult.objects.values("code", "total", "position", "listed")) == before
    assert verified.edits_folder != folder
    assert PostponedRemoval.objects.filter(folder=folder).exists()


# --- stop


def test_what_was_stopped_at_rest_has_no_stage_to_retry(analysed):
    interventions.stop_submission(analysed, by=OPERATOR, reason="As the filer asked.")
    analysed = Submission.objects.get(pk=analysed.pk)
    with pytest.raises(NotReady, match="no stage was running"):
        interventions.retry_stage(analysed, by=OPERATOR, reason=WHY)


def test_a_file_that_arrives_for_a_stopped_submission_is_told_why(submission, filer, tmp_path):
    path = tmp_path / "received"
    path.write_bytes(b"1|")

    def arrive() -> None:
        with submissions.Reception(submission, by=filer).opened() as reception:
            interventions.stop_submission(submission, by=OPERATOR, reason="Wrong year.")
            received = submissions.ReceivedFile(path, "lar.txt", 2, "0" * 64)
            reception.store(received)

    with pytest.raises(BadInput, match="stopped while the file arrived: Wrong year"):
        arrive()
    submission.refresh_from_db()
    assert submission.status == Status.FAILED


# --- work that has no place any more


@pytest.mark.parametrize("status", [Status.FAILED, Status.VERIFIED, Status.SIGNED])
def test_a_job_of_a_submission_that_has_moved_on_ends(uploaded, status):
    Submission.objects.update(status=status)
    job = Job.objects.get(stage="parse")
    loop.run_job(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.last_error == f"The submission already has status {status.value}."
    uploaded.refresh_from_db()
    assert uploaded.status == status
    assert queue.find_first_job("small") is None


def test_a_worker_that_finds_the_submission_begun_by_one_that_is_gone_goes_on(uploaded):
    stage, job = pipeline.STAGES["parse"], Job.objects.get(stage="parse")
    stale = Submission.objects.select_related("filing__institution", "filing__period").get(
        pk=uploaded.pk
    )
    submissions.move_submission(uploaded, stage.started)
    assert stage.enter(stale)
    loop.run_job(job.pk)
    uploaded.refresh_from_db()
    assert uploaded.status == Status.QUALITY_ERRORS


# --- receipts


def test_a_receipt_that_still_waits_is_not_sent_again(signed):
    Job.objects.filter(stage="mail").update(last_error="Connection refused")
    with pytest.raises(NotReady, match=r"has not been sent yet \(Connection refused\)"):
        interventions.send_receipt_again(signed, by=OPERATOR, reason="Impatience.")
    assert Mail.objects.count() == 2


def test_of_two_who_send_a_receipt_one_is_told(signed):
    Job.objects.filter(stage="mail").update(state="done")
    mine, theirs = (
        Submission.objects.prefetch_related("mails__job").get(pk=signed.pk) for _ in range(2)
    )
    interventions.send_receipt_again(mine, by=OPERATOR, reason=WHY)
    with pytest.raises(NotReady, match="Another user has just sent it again"):
        interventions.send_receipt_again(theirs, by=OPERATOR, reason=WHY)
    assert Mail.objects.count() == 4


def test_a_receipt_that_nobody_can_get_is_not_sent(signed):
    Mail.objects.all().delete()
    Submission.objects.update(transmittal_sheet={"contact_email": "nobody"})
    signature = Signature(submission=signed, receipt="r", signer_email="ann at bank")
    signed = Submission.objects.get(pk=signed.pk)
    signed.signature = signature
    with pytest.raises(NotReady, match="Neither the signer nor the contact"):
        interventions.plan_send_receipt_again(signed)


# --- all of them


@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("status", Status)
def test_an_action_does_what_its_plan_says_or_is_refused_in_the_same_words(uploaded, status, name):
    Submission.objects.update(status=status)
    submission = Submission.objects.get()
    planned, done = (
        refusal_of(lambda: PLANS[name](submission)),
        refusal_of(lambda: ACTIONS[name](submission, by=OPERATOR, reason=WHY)),
    )
    assert planned == done
    submission.refresh_from_db()
    if planned:
        assert len(planned) > 20
        assert planned.endswith(".")
        assert submission.status == status


def refusal_of(act: Callable[[], str]) -> str:
    try:
        assert act()
    except NotReady as refusal:
        return refusal.message
    return ""


@pytest.mark.parametrize("act", [*ACTIONS.values(), interventions.send_receipt_again])
def test_nothing_is_done_without_a_reason(signed, act):
    changes = StatusChange.objects.count()
    with pytest.raises(BadInput, match="Enter a reason"):
        act(signed, by=OPERATOR, reason=" \n")
    assert StatusChange.objects.count() == changes


def test_no_action_moves_a_signed_submission(signed):
    signed = Submission.objects.get(pk=signed.pk)
    Job.objects.filter(stage="mail").update(state="done")
    before = Submission.objects.values().get(), Signature.objects.values().get()
    actions: list[Any] = [
        action
        for name, action in vars(interventions).items()
        if hasattr(interventions, f"plan_{name}")
    ]
    assert len(actions) == 5
    for action in actions:
        with suppress(Refusal):
            action(signed, by=OPERATOR, reason=WHY)
    assert (Submission.objects.values().get(), Signature.objects.values().get()) == before


def test_no_move_leads_away_from_a_signature():
    assert not [event for status, event in MOVES if status is Status.SIGNED]
    assert [status for (status, event) in MOVES if event is Event.SIGNED] == [Status.VERIFIED]
