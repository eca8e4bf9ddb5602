"""Schedules of lists: each is made once a day by a job, stored, and its readers get a link.

The file is never in an email: a link needs a sign-in and the right to see the list, and ends when
the file is removed, after `LIST_DAYS`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from filing import audit, day_hours, registries, storage
from filing.access import Caller
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.errors import Gone, NotReady
from filing.files import responses, workbook_files
from filing.jobs import queue
from filing.lar.formulas import mark_formula
from filing.models import AuditEvent, ListSchedule, ProducedList
from filing.registries import Lease, StaffList

KIND = "list"  # of the job and the email
FOLDER = "lists"
_LINES = 500  # written at a time
CONTENT_TYPES = {
    ListSchedule.Form.CSV: responses.CSV,
    ListSchedule.Form.XLSX: workbook_files.XLSX,
    ListSchedule.Form.JSON: "application/json",
}


def queue_due_lists() -> int:
    """Queue the lists whose hour has come and that were not made today; return how many."""
    now = day_hours.to_filing_zone(timezone.now())
    due = ListSchedule.objects.filter(is_on=True, hour__lte=now.hour).exclude(
        pk__in=ProducedList.objects.filter(day=now.date(), run=0).values("schedule")
    )
    queued = 0
    for schedule in due:
        try:
            _add(schedule, now.date(), run=0)
            queued += 1
        except IntegrityError:  # another process was first
            continue
    return queued


@transaction.atomic
def _add(schedule: ListSchedule, day: date, *, run: int) -> ProducedList:
    job = queue.add_job(KIND)
    return ProducedList.objects.create(schedule=schedule, day=day, run=run, job=job)


def plan_run_now(schedule: ListSchedule) -> str:
    """Return what making a list now would do.

    Raises: NotReady for a list that is no longer made.
    """
    find_list(schedule)
    number = schedule.recipients.count()
    readers = f"{number} of its readers" if number != 1 else "its reader"
    return "It is made and stored now" + (f"; {readers} get an email." if number else ".")


@transaction.atomic
def run_now(schedule: ListSchedule, *, by: Caller, reason: str) -> str:
    """Queue a list at once, besides those on schedule; return what was done.

    Raises: NotReady for a list that is no longer made.
    """
    plan_run_now(schedule)
    ListSchedule.objects.select_for_update().get(pk=schedule.pk)
    day = day_hours.today()
    last = ProducedList.objects.filter(schedule=schedule, day=day).aggregate(last=Max("run"))
    produced = _add(schedule, day, run=(last["last"] or 0) + 1)
    audit.record_event(
        AuditEvent.LIST_REQUESTED, by=by, about=f"{produced}, {schedule}"[:255], reason=reason
    )
    return "It is in the queue; Produced lists has it once it is done."


def find_list(schedule: ListSchedule) -> StaffList:
    """Return the list of a schedule. Raises: NotReady where no area registers it any more."""
    if (staff_list := registries.STAFF_LISTS.get(schedule.kind)) is None:
        raise NotReady(f"The list {schedule.kind} is no longer made.")
    return staff_list


def find_readers(schedule: ListSchedule) -> list[User]:
    """Return the recipients who may see the list now and have an email address."""
    right = find_list(schedule).right
    readers = schedule.recipients.filter(is_active=True, is_staff=True).order_by("pk")
    return [
        user for user in readers if outbox.is_email_address(user.email) and user.has_perm(right)
    ]


def run_list(lease: Lease) -> None:
    """Make the list of a job: its file in storage, then the emails to its readers, once each."""
    produced = ProducedList.objects.select_related("schedule").get(job_id=lease.job_id)
    staff_list = find_list(produced.schedule)
    name = f"{FOLDER}/{produced.schedule_id}/{produced.file_name}"
    with storage.make_work_folder() as folder:
        path = folder / produced.file_name
        lease.rows_done = _write_file(path, produced.form, staff_list.read_rows())
        size = path.stat().st_size
        lease.renew()
        storage.remove_folder(name)  # of an attempt that was killed after this line
        storage.store_file(path, name)
    with transaction.atomic():
        lease.finish()
        drafts = [_draft(produced, user, staff_list) for user in find_readers(produced.schedule)]
        emails = outbox.queue_emails(drafts)
        ProducedList.objects.filter(pk=produced.pk).update(
            stored_as=name,
            rows=lease.rows_done,
            size=size,
            emails=len(emails),
            done_at=timezone.now(),
        )


def _draft(produced: ProducedList, user: User, staff_list: StaffList) -> EmailDraft:
    facts = {
        "list": staff_list.label,
        "day": day_hours.day_in_words(produced.day),
        "key": produced.pk,
        "days": settings.LIST_DAYS,
    }
    return outbox.draft_email(KIND, (str(produced.pk),), user.email, facts)


def _write_file(path: Path, form: str, rows: Iterable[Sequence[Any]]) -> int:
    """Write rows in a form; return how many there are below the header."""
    counter = _Counter(rows)
    if form == ListSchedule.Form.XLSX:
        book = workbook_files.write_workbook({"list": map(_cells, counter)})
        with book, path.open("wb") as file:
            shutil.copyfileobj(book, file)
    elif form == ListSchedule.Form.CSV:
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            file.writelines(responses.write_csv_pieces(map(_cells, counter), size=_LINES))
    else:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(_json_pieces(iter(counter)))
    return max(0, counter.number - 1)


def _json_pieces(rows: Iterator[Sequence[Any]]) -> Iterator[str]:
    header = next(rows)
    yield "["
    for number, row in enumerate(rows):
        fields = dict(zip(header, row, strict=True))
        yield f"{',' if number else ''}\n{json.dumps(fields, cls=DjangoJSONEncoder)}"
    yield "\n]\n"


class _Counter:
    """Rows, of which the number is known once they are read."""

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self._rows, self.number = rows, 0

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for row in self._rows:
            self.number += 1
            yield row


def _cells(row: Sequence[Any]) -> list[Any]:
    """Return a row for a spreadsheet, in which no cell is a formula, and times have no zone."""
    return [
        mark_formula(cell)
        if isinstance(cell, str)
        else cell.isoformat(timespec="seconds")
        if isinstance(cell, datetime)
        else cell
        for cell in row
    ]


def open_list(produced: ProducedList) -> Any:
    """Return the file of a list, open for reading.

    Raises: NotReady before it is done; Gone once its file was removed.
    """
    if produced.done_at is None:
        raise NotReady("The list is still being made.")
    if produced.removed_at or not default_storage.exists(produced.stored_as):
        raise Gone(f"Lists are kept for {settings.LIST_DAYS} days. Run its schedule again.")
    return default_storage.open(produced.stored_as)


def remove_old_lists() -> int:
    """Remove the files of lists that are old enough; return how many."""
    until = timezone.now() - timedelta(days=settings.LIST_DAYS)
    old = ProducedList.objects.filter(removed_at=None, done_at__lt=until)
    removed = 0
    for produced in old.iterator():
        storage.remove_folder(produced.stored_as)
        ProducedList.objects.filter(pk=produced.pk).update(removed_at=timezone.now())
        removed += 1
    return removed
