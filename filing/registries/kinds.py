"""The kinds of job: what runs each, how often it is tried, and what else ends when it fails.

Each app registers its own kinds when it is ready, among them the stages of a submission. The job
table accepts no other names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

LONGEST = 40  # characters, the length of the column


class Lease(Protocol):
    """A claimed job: while its lease is renewed, the holder may write the results.

    mark: the unique name for the files of this attempt.
    """

    job_id: int
    stage: str
    attempt: int
    owner: str
    started_at: datetime
    rows_done: int
    rows_total: int

    def moves(self) -> None:
        """Note that the work makes progress that its rows do not show."""

    @property
    def mark(self) -> str: ...

    def renew(self) -> None:
        """Extend the lease and publish the progress. Raises: LostLease."""

    def require(self) -> None:
        """Refuse to continue where another worker has the job. Raises: LostLease."""

    def finish(self) -> None:
        """Mark the job as done, in the transaction of its results. Raises: LostLease."""

    def fail(self, error: str) -> None:
        """Mark the job as failed for good, in a transaction. Raises: LostLease."""

    def postpone(self, until: datetime) -> None:
        """Give the job back to be done later, without counting the attempt. Raises: LostLease."""


Run = Callable[[Lease], int | None]


@dataclass(frozen=True)
class RetryPolicy:
    """How often a job is tried, and the pause before the second attempt, doubled each time."""

    attempts: int = 5
    first_pause_seconds: float = 1


USUAL = RetryPolicy()


def _is_over(job_id: int) -> bool:
    """Return false: a job of most kinds is over once its process is gone."""
    return False


def _end_nothing(job_id: int) -> None:
    """Do nothing: when a job of most kinds fails, nothing else ends."""


@dataclass(frozen=True)
class Kind:
    """A kind of job.

    run takes the lease of a job, does the work, and finishes the lease in the transaction that
    writes its results. It may be called again after a worker was killed. It may return the key of
    a job that follows, which the same worker runs at once.

    retry_policy: how often it is tried. label: for pages, by default the name. is_queued: false
    where the process that writes a job also runs it, as a web process does with an upload; then run
    is none. end takes the key of a job and ends what waits for it, in the transaction in which the
    job fails for good; it raises NotReady where another process was faster. continue_ takes the key
    of a job whose lease has expired, and returns whether the job goes on all the same; it extends
    the lease then, or does what is left to do.

    shows_progress: whether the rows of the lease grow while it runs. Then an attempt that stands
    still for `JOB_STILL_SECONDS` counts as hanging, and its process is ended.
    """

    name: str
    run: Run | None = None
    retry_policy: RetryPolicy = USUAL
    label: str = ""
    is_queued: bool = True
    end: Callable[[int], None] = _end_nothing
    continue_: Callable[[int], bool] = _is_over
    shows_progress: bool = False


KINDS: dict[str, Kind] = {}


def register(*kinds: Kind) -> None:
    """Add kinds of job. Call this when an app is ready.

    Raises: ValueError for a name that is taken or does not fit into the column, and for a queued
    kind without run.
    """
    for kind in kinds:
        if KINDS.get(kind.name, kind) != kind:
            raise ValueError(f"There is another kind of job named {kind.name!r}.")
        if not 0 < len(kind.name) <= LONGEST:
            raise ValueError(f"Name a kind of job in 1 to {LONGEST} characters, not {kind.name!r}.")
        if kind.is_queued and kind.run is None:
            raise ValueError(f"The kind of job {kind.name!r} has no function that runs it.")
        KINDS[kind.name] = kind


def of(name: str) -> Kind:
    """Return the kind of a name; one without run where no app has registered it."""
    return KINDS.get(name) or Kind(name)


def choices() -> list[tuple[str, str]]:
    """Return the names of all kinds with their labels, in the order of registration."""
    return [(kind.name, kind.label or kind.name) for kind in KINDS.values()]


def retry_policy_of(name: str) -> RetryPolicy:
    """Return how often a job of a kind is tried."""
    return of(name).retry_policy


def unusual() -> list[Kind]:
    """Return the kinds that are not tried as often as usual."""
    return [kind for kind in KINDS.values() if kind.retry_policy.attempts != USUAL.attempts]


def never_queued() -> list[str]:
    """Return the names of the kinds that no worker takes."""
    return [kind.name for kind in KINDS.values() if not kind.is_queued]


def run(lease: Lease) -> int | None:
    """Run a job; return the key of the job that follows, if any.

    Raises: LookupError for a kind that no app has registered; any error of the work.
    """
    kind = of(lease.stage)
    if kind.run is None:
        raise LookupError(f"No app has registered the kind of job {lease.stage!r}.")
    return kind.run(lease)
