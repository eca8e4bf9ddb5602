"""What is said of where a submission stands, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from filing.models import Job

WORK = {"upload": "The upload", "parse": "Reading the file", "edits": "Running the edits"}


@dataclass(frozen=True)
class Standing:
    """Where a submission stands, in sentences.

    what: how far it is. next_step: what comes next. turn: who must act; blank where nobody must.
    stopped: why it does not go on, or waits longer than it should; blank where all is well.
    helps: what would help then. job: the stage that is worked on, waits, or was given up.
    """

    what: str
    since: datetime
    turn: str
    next_step: str
    stopped: str = ""
    helps: str = ""
    job: Job | None = None

    @property
    def rests(self) -> bool:
        """True where no worker goes on by itself."""
        return self.job is None or not self.job.is_unfinished


def ago(since: datetime) -> str:
    """Return how long ago something was, in the two largest units."""
    seconds = max(0, int((timezone.now() - since).total_seconds()))
    units = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
    place = next((at for at, (_, size) in enumerate(units) if seconds >= size), len(units) - 1)
    parts: list[str] = []
    for name, size in units[place : place + 2]:
        number, seconds = divmod(seconds, size)
        if number or not parts:
            parts.append(f"{number} {name}{'' if number == 1 else 's'}")
    return " ".join(parts)
