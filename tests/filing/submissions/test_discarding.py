"""A submission that is in progress is discarded: its status stays, and nothing goes on with it."""

from __future__ import annotations

import pytest

from filing import submissions
from filing.access import Caller
from filing.errors import Conflict, NotReady
from filing.jobs import claims, loop
from filing.lar.years import Period
from filing.models import Job, Submission
from filing.statuses import Event, Status
from filing.submissions import halts, interventions, overview, status_report
from tests.conftest import LEI
from tests.filing.submissions.stages import uploaded, work  # noqa: F401 -- a fixture
from tests.filing.test_standing import add


def test_what_is_discarded_keeps_its_status_and_goes_no_further(filing, filer: Caller) -> None:
    signed, ready = add(filing, 1), add(filing, 2)
    submissions.sign_submission(signed, signed=True, by=filer)
    [due] = overview.find_due_filings([LEI], Period(2024))
    assert (due.latest, due.counting, due.in_progress) == (ready, signed, ready)
    discarded = submissions.discard_submission(ready, by=filer, reason="A wrong file")
    again = submissions.discard_submission(ready, by=filer)
    assert discarded.discarded_at == again.discarded_at is not None
    [change] = ready.changes.filter(event=Event.DISCARDED.name)
    assert (change.before, change.after, change.reason) == (14, 14, "A wrong file")
    [due] = overview.find_due_filings([LEI], Period(2024))
    assert (due.latest, due.counting, due.in_progress) == (ready, signed, None)
    for act in (
        lambda: submissions.sign_submission(again, signed=True, by=filer),
        lambda: submissions.sign_submission(ready, signed=True, by=filer),  # read before
        lambda: submissions.verify_edits(ready, "quality", verified=True, by=filer),
        lambda: submissions.discard_submission(signed, by=filer),
    ):
        with pytest.raises(Conflict):
            act()


def test_a_worker_that_holds_it_writes_nothing_more(uploaded: Submission, filer: Caller) -> None:
    lease = claims.claim_job(Job.objects.get(submission=uploaded, stage="parse").pk)
    assert lease is not None
    submissions.discard_submission(uploaded, by=filer)
    loop.run_attempt(lease)
    work(uploaded)
    assert (uploaded.status, uploaded.lines) == (Status.UPLOADED, 0)
    assert not Job.objects.filter(submission=uploaded, state__in=Job.UNFINISHED).exists()
    assert not Submission.objects.filter(halts.is_needing_attention()).exists()
    assert status_report.report_status(uploaded).summary.startswith("Discarded by ")


def test_staff_do_not_go_on_with_it(uploaded: Submission, filer: Caller) -> None:
    discarded = submissions.discard_submission(uploaded, by=filer)
    for plan in (
        interventions.plan_retry_stage,
        interventions.plan_run_edits_again,
        interventions.plan_stop_submission,
    ):
        with pytest.raises(NotReady, match="discarded"):
            plan(discarded)
