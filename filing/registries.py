"""What each area registers: kinds of job and email, audit events, lists, links; and signals.

Each app registers its own kinds of job when it is ready, among them the stages of a submission. The
tables accept no other names. Links of the admin are registered where the pages are, in its `admin`:
workers and commands show no page. Signals go to upper floors, in the transaction of the event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from operator import attrgetter
from typing import Any, Protocol

from django.dispatch import Signal

LONGEST_NAME = 40  # characters, the length of the column


class Lease(Protocol):
    """A claimed job: while its lease is renewed, the holder may write the results.

    attempt_id: the unique name for the files of this attempt.
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
    def attempt_id(self) -> str: ...

    def renew(self) -> None:
        """Extend the lease and publish the progress. Raises: LostLease."""

    def require(self) -> None:
        """Refuse to continue where another worker has the job. Raises: LostLease."""

    def finish(self) -> None:
        """Mark the job as done, in the transaction of its results. Raises: LostLease."""

    def fail(self, error: str, *, is_ours: bool = True) -> None:
        """Mark the job as failed for good, in a transaction. Raises: LostLease.

        is_ours: false for a fault of the sender, or of staff who ended it.
        """

    def postpone(self, until: datetime) -> None:
        """Give the job back to be done later, without counting the attempt. Raises: LostLease."""


JobFunction = Callable[[Lease], int | None]


@dataclass(frozen=True)
class RetryPolicy:
    """How often a job is tried, and the pause before the second attempt, doubled each time."""

    attempts: int = 5
    first_pause_seconds: float = 1


USUAL_RETRY_POLICY = RetryPolicy()


@dataclass(frozen=True)
class JobKind:
    """A kind of job.

    run takes the lease of a job, does the work, and finishes the lease in the transaction that
    writes its results. It may be called again after a worker was killed. It may return the key of
    a job that follows, which the same worker runs at once.

    retry_policy: how often it is tried. label: for pages, by default the name. is_queued: false
    where the process that writes a job also runs it, as a web process does with an upload; then run
    is none. end takes the key of a job and ends what waits for it, in the transaction in which the
    job fails for good; it raises NotReady where another process was faster. For most kinds, nothing
    else ends. continue_ takes the key of a job whose lease has expired, and returns whether the job
    goes on all the same; it extends the lease then, or does what is left to do. A job of most kinds
    is over once its process is gone.

    is_message: whether it sends one message to someone, in seconds at most. Workers keep such jobs
    apart from files, and from work that takes minutes.

    shows_progress: whether the rows of the lease grow while it runs. Then an attempt that stands
    still for `JOB_STILL_SECONDS` counts as hanging, and its process is ended.
    """

    name: str
    run: JobFunction | None = None
    retry_policy: RetryPolicy = USUAL_RETRY_POLICY
    label: str = ""
    is_queued: bool = True
    end: Callable[[int], None] = lambda job_id: None
    continue_: Callable[[int], bool] = lambda job_id: False
    is_message: bool = False
    shows_progress: bool = False


JOB_KINDS: dict[str, JobKind] = {}


def register_job_kinds(*kinds: JobKind) -> None:
    """Add kinds of job. Call this when an app is ready.

    Raises: ValueError for a name that is taken or does not fit into the column, and for a queued
    kind without run.
    """
    for kind in kinds:
        if JOB_KINDS.get(kind.name, kind) != kind:
            raise ValueError(f"There is another kind of job named {kind.name!r}.")
        _require_name(kind.name, "a kind of job")
        if kind.is_queued and kind.run is None:
            raise ValueError(f"The kind of job {kind.name!r} has no function that runs it.")
        JOB_KINDS[kind.name] = kind


def _require_name(name: str, what: str) -> None:
    """Refuse a name that does not fit into the column. Raises: ValueError."""
    if not 0 < len(name) <= LONGEST_NAME:
        raise ValueError(f"Name {what} in 1 to {LONGEST_NAME} characters, not {name!r}.")


def find_job_kind(name: str) -> JobKind:
    """Return the kind of a name; one without run where no app has registered it."""
    return JOB_KINDS.get(name) or JobKind(name)


def list_job_kinds() -> list[tuple[str, str]]:
    """Return the names of all kinds with their labels, in the order of registration."""
    return [(kind.name, kind.label or kind.name) for kind in JOB_KINDS.values()]


def find_retry_policy(name: str) -> RetryPolicy:
    """Return how often a job of a kind is tried."""
    return find_job_kind(name).retry_policy


def find_unusual_job_kinds() -> list[JobKind]:
    """Return the kinds that are not tried as often as usual."""
    return [
        kind
        for kind in JOB_KINDS.values()
        if kind.retry_policy.attempts != USUAL_RETRY_POLICY.attempts
    ]


def list_message_kinds() -> list[str]:
    """Return the names of the kinds that send a message."""
    return [kind.name for kind in JOB_KINDS.values() if kind.is_message]


def list_unqueued_job_kinds() -> list[str]:
    """Return the names of the kinds that no worker takes."""
    return [kind.name for kind in JOB_KINDS.values() if not kind.is_queued]


def run_by_kind(lease: Lease) -> int | None:
    """Run a job; return the key of the job that follows, if any.

    Raises: LookupError for a kind that no app has registered; any error of the work.
    """
    kind = find_job_kind(lease.stage)
    if kind.run is None:
        raise LookupError(f"No app has registered the kind of job {lease.stage!r}.")
    return kind.run(lease)


EMAIL_KINDS: dict[str, str] = {}


def register_email_kinds(labels: Mapping[str, str]) -> None:
    """Add kinds of email, each with its label on pages.

    Raises: ValueError for a name that is taken, or does not fit into the column.
    """
    for name, label in labels.items():
        if EMAIL_KINDS.get(name, label) != label:
            raise ValueError(f"There is another kind of email named {name!r}.")
        _require_name(name, "a kind of email")
        EMAIL_KINDS[name] = label


def list_email_kinds() -> list[tuple[str, str]]:
    """Return all kinds with their labels, in the order of registration."""
    return list(EMAIL_KINDS.items())


AUDIT_EVENTS: dict[str, StrEnum] = {}


def register_audit_events(events: type[StrEnum]) -> None:
    """Add the events of an area. Pages show the attribute `label`, or else the value.

    Raises: ValueError for an event that another area has, or that does not fit into the column.
    """
    for event in events:
        if AUDIT_EVENTS.get(event, event) is not event:
            raise ValueError(f"Another area has registered the event {event.value!r}.")
        _require_name(event.value, "an event")
        AUDIT_EVENTS[event.value] = event


def list_audit_events() -> list[tuple[str, str]]:
    """Return all events with their labels, in the order of registration."""
    return [(value, getattr(event, "label", value)) for value, event in AUDIT_EVENTS.items()]


@dataclass(frozen=True, slots=True)
class StaffList:
    """A list that staff get on a schedule.

    right: what a person needs to get it. read_rows: returns the rows, the header first; cells are
    texts, numbers, days and times.
    """

    name: str
    label: str
    right: str
    read_rows: Callable[[], Iterable[Sequence[Any]]]


STAFF_LISTS: dict[str, StaffList] = {}


def register_staff_lists(*lists: StaffList) -> None:
    """Add lists. Call this when an app is ready.

    Raises: ValueError for a name that is taken, or does not fit into the column.
    """
    for staff_list in lists:
        _require_name(staff_list.name, "a list")
        if STAFF_LISTS.setdefault(staff_list.name, staff_list) != staff_list:
            raise ValueError(f"There is another list named {staff_list.name!r}.")


def name_staff_lists() -> list[tuple[str, str]]:
    """Return the names of all lists with their labels, in the order of registration."""
    return [(each.name, each.label) for each in STAFF_LISTS.values()]


@dataclass(frozen=True)
class FollowUp:
    """What follows a signature, and that programs of the operator can ask for again.

    topic: its name in the address. repeat: takes the submission, `by` and `reason`; returns
    what was done, in a sentence, or raises NotReady.
    """

    topic: str
    repeat: Callable[..., str]


FOLLOW_UPS: dict[str, FollowUp] = {}


def register_follow_ups(*follow_ups: FollowUp) -> None:
    """Add follow-ups of a signature. Raises: ValueError for a topic that is taken."""
    for follow_up in follow_ups:
        if FOLLOW_UPS.get(follow_up.topic, follow_up) != follow_up:
            raise ValueError(f"There is another follow-up named {follow_up.topic!r}.")
        FOLLOW_UPS[follow_up.topic] = follow_up


LAST_ADMIN_LINK = 1000  # the place of a link that everyone can use


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits for staff. since: of the oldest; ends: the day by which the first is due."""

    number: int
    since: datetime | None = None
    ends: date | None = None


@dataclass(frozen=True, slots=True)
class AdminLink:
    """A link to a page of the admin; its label begins with a verb where something is done there.

    to: the URL name of the page. A link is shown where the site has the page and the user has the
    permissions, in ascending order of place. verb, table: for a page that does more than add a row,
    the word shown beside a table in the list below the links, and the label of its model. backlog:
    counts what waits there; then the link is a row of the work list. waits_for: who has to act.
    """

    label: str
    to: str
    permissions: tuple[str, ...]
    about: str
    query: str = ""
    place: int = 500
    verb: str = ""
    table: str = ""
    backlog: Callable[[], Backlog] | None = None
    waits_for: str = ""


ADMIN_LINKS: list[AdminLink] = []


def register_admin_links(*links: AdminLink) -> None:
    """Add links to the front page.

    Raises: ValueError where another link has the same label, or the same table.
    """
    for link in links:
        for other in ADMIN_LINKS:
            if other != link and other.label == link.label:
                raise ValueError(f"There is another link named {link.label!r}.")
            if other != link and link.table and other.table == link.table:
                raise ValueError(f"{other.label!r} is already the link of {link.table}.")
        if link not in ADMIN_LINKS:
            ADMIN_LINKS.append(link)
    ADMIN_LINKS.sort(key=attrgetter("place"))


def find_table_link(label: str) -> AdminLink | None:
    """Return the link of a table, by the label of its model; none where rows are just added."""
    return next((link for link in ADMIN_LINKS if link.table == label), None)


@dataclass(frozen=True, slots=True)
class StaffEventKind:
    """A kind of event that staff subscribe to. right: what a person needs to be told of one.

    is_of_institution: whether each is about one institution, so that staff can choose which.
    """

    label: str
    right: str
    about: str
    is_of_institution: bool


STAFF_EVENT_KINDS: dict[str, StaffEventKind] = {}


def register_staff_event_kinds(kinds: Mapping[str, StaffEventKind]) -> None:
    """Add kinds of event, by name. Call this when an app is ready.

    Raises: ValueError for a name that is taken, or does not fit into the column.
    """
    for name, kind in kinds.items():
        _require_name(name, "a kind of event")
        if STAFF_EVENT_KINDS.setdefault(name, kind) != kind:
            raise ValueError(f"There is another kind of event named {name!r}.")


def list_staff_event_kinds() -> list[tuple[str, str]]:
    """Return the names of all kinds of event with their labels, in the order of registration."""
    return [(name, kind.label) for name, kind in STAFF_EVENT_KINDS.items()]


@dataclass(frozen=True, slots=True)
class StaffEvent:
    """Something that happened. key: unique to it; page, keys: the name of its page in the admin."""

    kind: str
    key: str
    title: str
    page: str
    keys: tuple[int, ...] = ()
    lei: str = ""


# Something happened that staff subscribe to. Sends `event`, in the transaction of the event.
staff_event = Signal()


def emit_staff_event(event: StaffEvent) -> None:
    """Tell subscribers of an event. Call this in the transaction that writes it."""
    staff_event.send(sender=StaffEvent, event=event)


# A submission was signed. Sends `submission` and its `signature`.
submission_signed = Signal()
# Reference data of a year were loaded, or an earlier file is used again.
reference_data_changed = Signal()
