"""The stages of a submission, in their order: kinds of job that each begin from a status.

    upload   a web process receives the file, which then waits to be parsed
    parse    finds the lines of the file and its formatting errors; then the edits are run
    edits    publishes the results for the filer, who acts next

Each stage reads the results of the one before, writes its own into a folder of its attempt, and
publishes them in one transaction that only commits while it has the job: results, status, and the
job of the next stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from filing.lar.blocks import NotText
from filing.lar.years import NoRulebookError
from filing.models import Job, Submission
from filing.registries.kinds import Kind, Lease
from filing.statuses import Event, Status
from filing.submissions import checking, parsing, processing, resumable_uploads, rules_run


@dataclass(frozen=True)
class Stage:
    """One stage: the status it starts from, the event of its start, and its function.

    fits: whether it also runs on a submission that it does not move.
    """

    name: str
    starts_in: Status
    started: Event
    works_in: Status
    run: Callable[[Submission, Lease], Job | None]
    fits: Callable[[Submission], bool] = lambda submission: False

    @property
    def kind(self) -> Kind:
        """The kind of job that runs the stage."""
        return Kind(self.name, self.work, end=processing.fail, shows_progress=True)

    def work(self, lease: Lease) -> int | None:
        """Run the stage of a job; return the key of the job that follows, if any.

        Raises: LostLease.
        """
        submission = processing.submission_of(lease.job_id)
        enters = processing.enter(submission, self.starts_in, self.started, self.works_in)
        if not enters and not self.fits(submission):
            processing.leave(submission, lease)
            return None
        try:
            following = self.run(submission, lease)
        except NotText as error:
            processing.refuse_file(submission, lease, error)
            return None
        except NoRulebookError as error:
            processing.refuse_period(submission, lease, error)
            return None
        return following.pk if following else None


STAGES = {
    stage.name: stage
    for stage in (
        Stage("parse", Status.UPLOADED, Event.PARSE_STARTED, Status.PARSING, parsing.run),
        Stage(
            "edits",
            Status.PARSED,
            Event.EDITS_STARTED,
            Status.VALIDATING,
            checking.run,
            fits=rules_run.was_signed_without_rules,
        ),
    )
}
KINDS = (
    Kind(
        "upload",
        is_queued=False,
        end=processing.abandon_upload,
        continue_=resumable_uploads.continue_,
    ),
    *(stage.kind for stage in STAGES.values()),
)
