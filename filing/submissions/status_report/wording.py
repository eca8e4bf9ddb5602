"""The report itself, and the words that its sentences share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from filing.models import Job

STAGE_NAMES = {
    "upload": "The upload",
    "parse": "Reading the file",
    "edits": "Running the edits",
}


@dataclass(frozen=True)
class StatusReport:
    """How far a submission is, in sentences.

    since: when it reached this point. waiting_for: who must act; blank where no one must.
    problem: why it stopped, or waits longer than it should; blank where all is well. remedy: what
    solves the problem. job: the job that is running, queued, or failed for good.
    """

    summary: str
    since: datetime
    waiting_for: str
    next_step: str
    problem: str = ""
    remedy: str = ""
    job: Job | None = None

    @property
    def is_settled(self) -> bool:
        """True while no job is queued or running."""
        return self.job is None or not self.job.is_unfinished


def ago(since: datetime) -> str:
    """Return how long ago something was, in the two largest units."""
    seconds = max(0, int((timezone.now() - since).total_seconds()))
    units = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
    largest = next((at for at, (_, size) in enumerate(units) if seconds >= size), len(units) - 1)
    parts: list[str] = []
    for name, size in units[largest : largest + 2]:
        number, seconds = divmod(seconds, size)
        if number or not parts:
            parts.append(f"{number} {name}{'' if number == 1 else 's'}")
    return " ".join(parts)
