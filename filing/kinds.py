"""The kinds of job: what works on each, and how often a job of it is tried.

Stages of a submission stand here: the pipeline works on them. All other kinds are registered when
their app is ready, also those of areas above. The job table takes no other name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filing.jobs import Lease

    Run = Callable[[Lease], None]

LONGEST = 40  # characters of a name, as the column has them


@dataclass(frozen=True)
class Patience:
    """How often a job is tried, and the pause before the second attempt, doubled each time."""

    attempts: int = 5
    first_pause_seconds: float = 1


USUAL = Patience()


@dataclass(frozen=True)
class Kind:
    """A kind of job. run: none for a stage of a submission. label: for pages, if not the name.

    run takes the lease of a job, does the work, and finishes the lease in the transaction that
    writes its results. It may be called again after a worker was killed.
    """

    name: str
    run: Run | None = None
    patience: Patience = USUAL
    label: str = ""


STAGES = ("upload", "parse", "edits")
KINDS: dict[str, Kind] = {stage: Kind(stage) for stage in STAGES}


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
        if kind.run is None:
            raise ValueError(f"Nothing works on jobs of the kind {kind.name!r}.")
        KINDS[kind.name] = kind


def choices() -> list[tuple[str, str]]:
    """Return the names of all kinds with what pages call them, stages of submissions first."""
    return [(kind.name, kind.label or kind.name) for kind in KINDS.values()]


def patience(name: str) -> Patience:
    """Return how often a job of a kind is tried."""
    return KINDS[name].patience if name in KINDS else USUAL


def unusual() -> list[Kind]:
    """Return the kinds that are not tried as often as the others."""
    return [kind for kind in KINDS.values() if kind.patience.attempts != USUAL.attempts]


def run(lease: Lease) -> None:
    """Do the work of a job that is no stage of a submission.

    Raises: LookupError for a kind that no app has registered; whatever goes wrong in the work.
    """
    kind = KINDS.get(lease.stage)
    if kind is None or kind.run is None:
        raise LookupError(f"No app has registered what works on {lease.stage!r}.")
    kind.run(lease)
