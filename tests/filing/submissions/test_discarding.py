"""A submission that is in progress is discarded: its status stays, and nothing goes on with it."""

from __future__ import annotations

import pytest

from filing import submissions
from filing.access import Caller
from filing.errors import NotReady
from filing.jobs import claims, loop
from filing.models import Job, Submission
from filing.statuses import Status
from filing.submissions import halts, interventions, status_report
from tests.filing.submissions.stages import uploaded, work  # noqa: F401 -- a fixture


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
