"""Tasks on the installation: requested by staff with a reason, run by a worker, results kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction

from config import audit_log
from config.backups import making, manifests, restoring
from config.management.backup_targets import failures, open_target
from config.upkeep import (
    BACK_UP,
    DRILL,
    LABELS,
    VERIFY_BACKUP,
    VERIFY_LOG,
    VERIFY_RECEIPTS,
    drills,
)
from filing import audit
from filing.access import SERVICE, Caller
from filing.audit import chain, keys
from filing.errors import BadInput, Conflict, NotFound
from filing.jobs import queue
from filing.models import AuditEvent, Job, OperatorTask, SignedReceipt
from filing.receipts import checking
from filing.registries import Lease

MAX_DETAILS = 200


@dataclass(frozen=True)
class TaskResult:
    """How a task ended. is_sound: whether nothing is wrong. details: sentences."""

    is_sound: bool
    summary: str
    details: list[str] = field(default_factory=list)


@dataclass
class TaskProgress:
    """The progress of a task, which its page shows."""

    task: OperatorTask
    lease: Lease

    def report(self, step: str) -> None:
        """Publish the present step. Raises: LostLease."""
        self.lease.require()
        self.lease.moves()
        OperatorTask.objects.filter(pk=self.task.pk).update(summary=step)

    def count(self, done: int, total: int) -> None:
        """Note how much is done."""
        self.lease.require()
        self.lease.rows_done, self.lease.rows_total = done, max(done, total)


@dataclass(frozen=True)
class TaskKind:
    """A kind of task.

    needs_backup: whether it is about one backup. does: a sentence for those who request it.
    """

    name: str
    does: str
    run: Callable[[OperatorTask, TaskProgress], TaskResult]
    needs_backup: bool = False

    @property
    def label(self) -> str:
        return LABELS[self.name]


def _verify_log(task: OperatorTask, progress: TaskProgress) -> TaskResult:
    total = chain.find_head_of_site().entries
    check = audit_log.verify_log(full=True, progress=lambda done: progress.count(done, total))
    number = check.finding_count
    summary = f"{check.entries:,} entries were read: {number:,} findings."
    return TaskResult(not number, summary, check.findings[:MAX_DETAILS])


def _verify_receipts(task: OperatorTask, progress: TaskProgress) -> TaskResult:
    total, done, problems = SignedReceipt.objects.count(), 0, []
    try:
        keys.examine_signing_key()
    except keys.NoUsableKey as problem:
        problems.append(f"Receipts cannot be signed: {problem}")
    for each in checking.find_heads_in_receipts(all_of_them=True):
        if isinstance(each, str):
            problems.append(each)
        else:
            done += 1
            progress.count(done, total)
    summary = f"{total:,} receipts were verified: {len(problems):,} problems."
    return TaskResult(not problems, summary, problems[:MAX_DETAILS])


def _back_up(task: OperatorTask, progress: TaskProgress) -> TaskResult:
    manifest = making.make_backup(open_target(settings.BACKUP_URL), report=progress.report)
    OperatorTask.objects.filter(pk=task.pk).update(about=manifest.id)
    summary = (
        f"Backup {manifest.id} has {manifest.file_count:,} files with {manifest.file_bytes:,} "
        f"bytes: {'complete' if manifest.is_complete else 'incomplete'}."
    )
    return TaskResult(manifest.is_complete, summary, manifest.problems[:MAX_DETAILS])


def _verify_backup(task: OperatorTask, progress: TaskProgress) -> TaskResult:
    manifest, problems = restoring.check_backup(
        open_target(settings.BACKUP_URL),
        task.about,
        report=progress.report,
        progress=progress.count,
    )
    summary = (
        f"The database and {manifest.file_count:,} files were read: {len(problems):,} problems."
    )
    return TaskResult(not problems, summary, problems[:MAX_DETAILS])


def _drill_restore(task: OperatorTask, progress: TaskProgress) -> TaskResult:
    lines = drills.drill_restore(task.about, report=progress.report, moves=progress.lease.moves)
    return TaskResult(True, "The backup was restored in a scratch place, which is removed.", lines)


TASK_KINDS = {
    kind.name: kind
    for kind in (
        TaskKind(
            VERIFY_LOG,
            "Reads all entries and seals again, and compares them with the heads in receipts and "
            "other places.",
            _verify_log,
        ),
        TaskKind(
            VERIFY_RECEIPTS,
            "Checks the signature of each stored receipt, and compares it with the database.",
            _verify_receipts,
        ),
        TaskKind(
            BACK_UP,
            "Copies the database and the stored files to BACKUP_URL while the service runs.",
            _back_up,
        ),
        TaskKind(
            VERIFY_BACKUP,
            "Reads the whole backup, compares every hash, and restores nothing.",
            _verify_backup,
            needs_backup=True,
        ),
        TaskKind(
            DRILL,
            "Restores the backup into an empty database and folder of its own, reads the file of "
            "each signature there, and removes them. The live data are not touched.",
            _drill_restore,
            needs_backup=True,
        ),
    )
}


def find_task_kind(name: str) -> TaskKind:
    """Return a kind of task. Raises: NotFound."""
    if kind := TASK_KINDS.get(name):
        return kind
    raise NotFound(f"There is no task {name!r}.")


def request_task(name: str, *, by: Caller, reason: str, about: str = "") -> OperatorTask:
    """Queue a task and return it. about: the ID of a backup.

    Raises: NotFound for an unknown kind; BadInput without a reason or a backup, or for one that
    cannot exist; Conflict while another task of the kind is unfinished.
    """
    kind = find_task_kind(name)
    if not reason.strip():
        raise BadInput("Enter a reason. It is recorded in the audit log.")
    if kind.needs_backup != bool(about):
        raise BadInput("Choose the backup." if kind.needs_backup else "This is about no backup.")
    if about and not manifests.is_backup_id(about):
        raise BadInput("This is not the ID of a backup. Choose one from the list.")
    with transaction.atomic():
        if Job.objects.filter(stage=name, state__in=Job.UNFINISHED).exists():
            raise Conflict("This is being done already. Wait until it has ended.")
        task = OperatorTask.objects.create(
            kind=name, about=about, reason=reason, job=queue.add_job(name), **by.actor_columns
        )
        audit.record_event(AuditEvent.TASK_REQUESTED, by=by, about=str(task), reason=reason)
    return task


def run_task(lease: Lease) -> None:
    """Run a task, and store its result. What is refused is a result, too."""
    task = OperatorTask.objects.get(job_id=lease.job_id)
    try:
        with failures():
            result = find_task_kind(task.kind).run(task, TaskProgress(task, lease))
    except CommandError as refusal:
        result = TaskResult(False, str(refusal))
    task.refresh_from_db()
    with transaction.atomic():
        lease.finish()
        OperatorTask.objects.filter(pk=task.pk).update(
            is_sound=result.is_sound, summary=result.summary, details=result.details
        )
        audit.record_event(
            AuditEvent.TASK_ENDED, by=SERVICE, about=str(task), reason=result.summary
        )
