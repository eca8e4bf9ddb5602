"""The outcome of a run from the history of submissions: their waits, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from filing.statuses import Event, Status

# Prints the whole history as JSON, with times in seconds since 1970.
HISTORY = """
import json
from django.utils import timezone
from filing.models import Attempt, Job, Signature, StatusChange, Submission
def at(time):
    return time.timestamp() if time else None
names = {each.pk: str(each) for each in Submission.objects.select_related(
    "filing__institution", "filing__period")}
print(json.dumps({
    "now": at(timezone.now()),
    "names": names,
    "changes": [[submission, before, after, event, at(time)] for submission, before, after, event,
        time in StatusChange.objects.order_by("pk").values_list(
        "submission", "before", "after", "event", "at")],
    "jobs": [{"submission": each.submission_id, "stage": each.stage, "state": each.state,
        "attempts": each.attempts, "owner": each.owner, "queued": at(each.queued_at),
        "not_before": at(each.not_before), "began": at(each.started_at),
        "lease_until": at(each.lease_until), "ended": at(each.finished_at),
        "error": each.last_error} for each in Job.objects.exclude(submission=None)],
    "tries": [{"submission": each.job.submission_id, "stage": each.job.stage,
        "number": each.number, "owner": each.owner, "began": at(each.started_at),
        "ended": at(each.ended_at), "outcome": each.outcome, "error": each.error,
        "is_done": each.outcome == Attempt.Outcome.DONE}
        for each in Attempt.objects.exclude(job__submission=None).select_related("job")],
    "receipts": list(Signature.objects.values_list("submission", flat=True)),
}))
"""
_SOON = 5.0  # seconds after a fault
_REVERSED = {Event.UPLOAD_ABANDONED.name, Event.UPLOAD_REFUSED.name}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of a run. longest: seconds without a move, by the status in which it was.

    lost: what the service had confirmed and does not have. doubled: work whose results were taken
    twice. missing: parts of the service that did not run at the end. recoveries: for each fault,
    the seconds until every submission that waited for the service then, or soon after, had moved.
    """

    submissions: int
    signed: int
    failed: int
    lost: list[str]
    doubled: list[str]
    backward: list[str]
    unfinished: list[str]
    missing: list[str]
    longest: dict[int, float] = field(default_factory=dict)
    stalls: list[dict[str, Any]] = field(default_factory=list)
    recoveries: list[float] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was lost, doubled or moved backward, and nothing stood still."""
        bad = (self.lost, self.doubled, self.backward, self.unfinished, self.missing, self.stalls)
        return not any(bad) and not self.failed


def compute_outcome(
    history: dict[str, Any],
    *,
    promised: dict[str, str],
    limit: float,
    missing: list[str],
    faults: Sequence[float] = (),
    hopeless: Collection[str] = (),
) -> Outcome:
    """Return the figures. promised: what was confirmed to each filer, by name of submission.

    faults: when each began. hopeless: LEIs whose submissions must fail, and are left out here.
    """
    names = {int(key): name for key, name in history["names"].items() if name[:20] not in hopeless}
    changes: dict[int, list[Any]] = {key: [] for key in names}
    for submission, *change in history["changes"]:
        if submission in changes:
            changes[submission].append(change)
    last = {names[key]: Status(each[-1][1]) for key, each in changes.items()}
    longest: dict[int, float] = {}
    stalls = []
    waits: list[tuple[float, float]] = []
    for key, each in changes.items():
        for status, since, seconds in _waits(each, history["now"]):
            waits.append((since, since + seconds))
            longest[status] = max(longest.get(status, 0), seconds)
            if seconds > limit:
                around = _around(history, key, since, since + seconds)
                stalls.append(
                    {"submission": names[key], "status": status, "since": since}
                    | {"seconds": seconds, "around": around}
                )
    events = Counter((names[key], each[2]) for key, all_of in changes.items() for each in all_of)
    tries = Counter(
        f"{names[each['submission']]} {each['stage']}"
        for each in history["tries"]
        if each["is_done"] and each["submission"] in names
    )
    once = {Event.UPLOAD_FINISHED.name, Event.PARSE_PASSED.name, Event.SIGNED.name}
    return Outcome(
        submissions=len(names),
        signed=len(history["receipts"]),
        failed=sum(status is Status.FAILED for status in last.values()),
        lost=_lost(promised, last),
        doubled=[name for name, number in tries.items() if number > 1]
        + [f"{name} {event}" for (name, event), n in events.items() if n > 1 and event in once],
        backward=[
            f"{names[key]} {before} to {after} ({event})"
            for key, all_of in changes.items()
            for before, after, event, _ in all_of
            if before is not None and after < before and event not in _REVERSED and after > 0
        ],
        unfinished=[f"{name} {status}" for name, status in last.items() if not status.is_settled],
        missing=missing,
        longest=dict(sorted(longest.items())),
        stalls=sorted(stalls, key=lambda each: -each["seconds"]),
        recoveries=[
            max((end - fault for since, end in waits if since - _SOON < fault < end), default=0.0)
            for fault in faults
        ],
    )


def _waits(changes: list[Any], now: float) -> list[tuple[int, float, float]]:
    """Return where a submission waited for the service: status, since, seconds."""
    ends = [*(change[3] for change in changes[1:]), now]
    return [
        (after, since, end - since)
        for (_, after, _, since), end in zip(changes, ends, strict=True)
        if not Status(after).is_settled
    ]


def _lost(promised: dict[str, str], last: dict[str, Status]) -> list[str]:
    least = {"created": Status.CREATED, "uploaded": Status.UPLOADED, "signed": Status.SIGNED}
    return [
        f"{name}: {said}, is {last.get(name)}"
        for name, said in promised.items()
        if name not in last or (last[name] is not Status.FAILED and last[name] < least[said])
    ]


def _around(history: dict[str, Any], key: int, since: float, until: float) -> list[str]:
    """Return what the job table says of a submission, a line for each job and attempt."""

    def shown(values: dict[str, Any]) -> str:
        return ", ".join(
            f"{name} {clock(value) if isinstance(value, float) else value}"
            for name, value in values.items()
            if name not in ("submission", "is_done") and value not in (None, "")
        )

    tries = [f"attempt: {shown(t)}" for t in history["tries"] if t["submission"] == key]
    jobs = [f"job: {shown(job)}" for job in history["jobs"] if job["submission"] == key]
    return [f"from {clock(since)} to {clock(until)}", *tries, *jobs]


def clock(seconds: float) -> str:
    """Return the time of day in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S.%f")[:-5]
