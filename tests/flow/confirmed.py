"""What a service has confirmed to its callers, and its history, which must not say otherwise."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from filing.statuses import MOVES, Event, Status
from tests.flow.conftest import Service

# Read at one moment: workers go on meanwhile.
HISTORY = """
import json
from django.db import connection, transaction
from filing.models import Signature, StatusChange, Submission
columns = ("submission", "before", "after", "event", "reason", "actor_id")
with transaction.atomic():
    if connection.vendor == "postgresql":
        connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    found = [*Submission.objects.filter(filing__institution__lei__in={leis!r}).select_related(
        "filing__institution", "filing__period")]
    keys = [each.pk for each in found]
    changes = [*StatusChange.objects.filter(submission__in=keys).order_by("pk").values_list(
        *columns)]
    receipts = [*Signature.objects.filter(submission__in=keys).values_list(
        "submission", "receipt")]
print(json.dumps({{str(each): {{
    "status": each.status, "sha256": each.sha256, "size": each.size, "file": each.raw_file,
    "changes": [change for key, *change in changes if key == each.pk],
    "receipts": [receipt for key, receipt in receipts if key == each.pk],
    }} for each in found}}))
"""
Histories = dict[str, dict[str, Any]]


@dataclass
class Filed:
    """A submission of a walk, with what was confirmed of it.

    code: the status that was last read. kind: of its file, blank without one. sha256: of the file
    that was confirmed. perhaps: of files whose answers were lost. verified: kinds of edits.
    """

    lei: str
    period: str
    number: int
    code: int = Status.CREATED
    kind: str = ""
    sha256: str = ""
    perhaps: dict[str, str] = field(default_factory=dict)
    verified: set[str] = field(default_factory=set)
    receipt: str = ""
    is_stopped: bool = False

    @property
    def name(self) -> str:
        return f"{self.lei}-{self.period}-{self.number}"

    def __repr__(self) -> str:
        return f"<{self.name[-14:]} in {self.code}>"

    def confirm(self, kind: str, content: bytes) -> None:
        """Note that a file was taken."""
        self.kind, self.sha256 = kind, sha256(content)

    @property
    def edits(self) -> set[str]:
        """The kinds of edits that its file triggers and that can be verified."""
        return {"quality": {"quality"}, "macro": {"macro"}, "both": {"quality", "macro"}}.get(
            self.kind, set()
        )

    @property
    def code_by_verification(self) -> int:
        """The status that follows from what is verified."""
        if self.edits <= self.verified:
            return Status.VERIFIED
        return Status.MACRO_ERRORS if "macro" in self.edits else Status.QUALITY_ERRORS


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def histories(service: Service, leis: list[str]) -> Histories:
    """Return what the service has of the submissions of some institutions, by name."""
    found: Histories = json.loads(service.shell(HISTORY.format(leis=leis)))
    return found


def check(found: Histories, before: Histories, filed: list[Filed]) -> None:
    """Hold the histories against the table of moves, former ones, and what was confirmed."""
    for name, each in found.items():
        check_moves(name, each)
        former = before.get(name, {"changes": [], "receipts": []})
        changes, receipts = former["changes"], former["receipts"]
        assert each["changes"][: len(changes)] == changes, f"{name}: the history has changed"
        assert each["receipts"][: len(receipts)] == receipts, name
    assert before.keys() <= found.keys()
    for one in filed:
        check_confirmed(one, found[one.name])


def check_moves(name: str, found: dict[str, Any]) -> None:
    """Every change is one of the table; those backward have a reason."""
    status = None
    for before, after, event, reason, actor in found["changes"]:
        about = f"{name}: {before} to {after} by {event}, {reason!r}"
        assert before == status, about
        if before is None:
            assert (after, event) == (Status.CREATED, Event.CREATED.name), about
        elif before != after:
            assert MOVES.get((Status(before), Event[event])) == after, about
            assert before != Status.SIGNED, about
            assert after > before or reason, about
        if event in (Event.STOPPED.name, Event.EDITS_RUN_AGAIN.name):
            assert reason, about
            assert actor, about
        status = after
    assert found["status"] == status, name
    events = [event for _, _, event, _, _ in found["changes"]]
    for once in (Event.CREATED, Event.UPLOAD_FINISHED, Event.PARSE_PASSED, Event.SIGNED):
        assert events.count(once.name) <= 1, f"{name}: {once} {events}"
    assert len(found["receipts"]) == events.count(Event.SIGNED.name), name


def check_confirmed(filed: Filed, found: dict[str, Any]) -> None:
    """What was confirmed is there."""
    assert filed.is_stopped or found["status"] != Status.FAILED, (filed, found["changes"])
    if filed.sha256:
        assert found["sha256"] == filed.sha256, filed
        assert found["status"] not in (Status.CREATED, Status.UPLOADING), filed
    elif found["sha256"]:
        assert found["sha256"] in filed.perhaps, filed
    if filed.receipt:
        assert found["receipts"] == [filed.receipt], filed
        assert found["status"] == Status.SIGNED, filed


def check_files(service: Service, found: Histories) -> None:
    """Every file that was taken is in storage, with all its bytes."""
    for name, each in found.items():
        if each["sha256"]:
            content = (service.data_dir / "files" / each["file"]).read_bytes()
            assert (sha256(content), len(content)) == (each["sha256"], each["size"]), name
