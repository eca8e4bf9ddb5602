"""A file on its whole way: received, checked, verified, signed, and made public."""

from __future__ import annotations

import hashlib
from typing import Any

from databrowser.models import ModifiedLar
from filing import submissions
from filing.access import Caller
from filing.demo.loading import load_demo_census
from filing.jobs import loop
from filing.models import Job, Submission
from filing.reference_data import registry
from filing.statuses import Status


def signed(submission: Submission, content: bytes, by: Caller, tmp_path: Any) -> Submission:
    """Let a submission go all the way that a file goes through the API, up to its signature."""
    year = submission.period.year
    if registry.find_active_file(registry.CENSUS, year) is None:
        load_demo_census(year, by="test")
    path = tmp_path / f"received-{submission.pk}"
    path.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    with submissions.Reception(submission, by=by).opened() as reception:
        upload = submissions.ReceivedFile(path, "lar.txt", len(content), digest)
        reception.store(upload)
    loop.run_job(Job.objects.get(submission=submission, stage="parse").pk)
    submission.refresh_from_db()
    for kind in ("quality", "macro"):
        if submission.status != Status.VERIFIED:
            submission = submissions.verify_edits(submission, kind, verified=True, by=by)
    submissions.sign_submission(submission, signed=True, by=by)
    return submission


def work(submission: Submission) -> ModifiedLar:
    """Do the errand of a signed submission, as a worker does it."""
    made = ModifiedLar.objects.select_related("job").get(submission=submission)
    assert made.job is not None
    loop.run_job(made.job.pk)
    return ModifiedLar.objects.select_related("job").get(pk=made.pk)
