"""The kinds of job: what works on each, how often it is tried, and what else ends when it fails.

Each is registered when its app is ready, also those of areas above and the stages of a submission.
The job table takes no other name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

LONGEST = 40  # characters of a name, as the column has them


class Lease(Protocol):
    """A job in the hands of a worker: proof that it may write the results, while it is renewed.

    mark names what this attempt makes.
    """

    job_id: int
    stage: str
    attempt: int
    owner: str
    started_at: datetime
    rows_done: int
    rows_total: int

    @property
    def mark(self) -> str: ...

    def renew(self) -> None:
        """Extend the lease and publish the progress. Raises: LostLease."""

    def require(self) -> None:
        """Refuse to go on where somebody else has the job by now. Raises: LostLease."""

    def finish(self) -> None:
        """Mark the job as done, in the transaction of its results. Raises: LostLease."""

    def fail(self, error: str) -> None:
        """Mark the job as failed for good, in a transaction. Raises: LostLease."""

    def postpone(self, until: datetime) -> None:
        """Give the job back to be done later, as no attempt. Raises: LostLease."""


Run = Callable[[Lease], int | None]


@dataclass(frozen=True)
class Patience:
    """How often a job is tried, and the pause before the second attempt, doubled each time."""

    attempts: int = 5
    first_pause_seconds: float = 1


USUAL = Patience()


def _nothing_to_say(name: str) -> str:
    return ""


def _nothing_else(job_id: int, reason: str) -> None:
    """Most kinds leave nothing to end when a job has failed."""


@dataclass(frozen=True)
class Kind:
    """A kind of job.

    run takes the lease of a job, does the work, and finishes the lease in the transaction that
    writes its results. It may be called again after a worker was killed. It may return the key of
    a job that follows: the same worker takes that up at once.

    patience: how often it is tried. label: for pages, if not the name. is_queued: false where
    whoever writes a job works on it itself, as a web process does with an upload; nothing runs it.
    explain takes the name and says to people that no attempt has succeeded. end takes the key of a
    job and the reason, and ends what waits for it, in the transaction in which the job fails for
    good; it raises NotReady where somebody else was first.
    """

    name: str
    run: Run | None = None
    patience: Patience = USUAL
    label: str = ""
    is_queued: bool = True
    explain: Callable[[str], str] = _nothing_to_say
    end: Callable[[int, str], None] = _nothing_else


KINDS: dict[str, Kind] = {}


def register(*kinds: Kind) -> None:
    """Add kinds of job. To be called when an app is ready.

    Raises: ValueError for a name that another kind has, for one that does not fit into its column,
    and for a kind without anything that works on it.
    """
    for kind in kinds:
        if KINDS.get(kind.name, kind) != kind:
            raise ValueError(f"There is another kind of job named {kind.name!r}.")
        if not 0 < len(kind.name) <= LONGEST:
            raise ValueError(f"Name a kind of job in 1 to {LONGEST} characters, not {kind.name!r}.")
        if kind.is_queued and kind.run is None:
            raise ValueError(f"Nothing works on jobs of the kind {kind.name!r}.")
        KINDS[kind.name] = kind


def of(name: str) -> Kind:
    """Return the kind of a name; one that nothing works on where its area was taken away."""
    return KINDS.get(name) or Kind(name)


def choices() -> list[tuple[str, str]]:
    """Return the names of all kinds with what pages call them, as they were registered."""
    return [(kind.name, kind.label or kind.name) for kind in KINDS.values()]


def patience(name: str) -> Patience:
    """Return how often a job of a kind is tried."""
    return of(name).patience


def unusual() -> list[Kind]:
    """Return the kinds that are not tried as often as the others."""
    return [kind for kind in KINDS.values() if kind.patience.attempts != USUAL.attempts]


def never_queued() -> list[str]:
    """Return the names of the kinds that no worker takes."""
    return [kind.name for kind in KINDS.values() if not kind.is_queued]


def run(lease: Lease) -> int | None:
    """Do the work of a job; return the key of the job that follows, if one does.

    Raises: LookupError for a kind that no app has registered; whatever goes wrong in the work.
    """
    kind = of(lease.stage)
    if kind.run is None:
        raise LookupError(f"No app has registered what works on {lease.stage!r}.")
    return kind.run(lease)
