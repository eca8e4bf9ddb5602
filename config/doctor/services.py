"""Live checks of the database with its clock, and of the queue: its jobs, workers and beat."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import DEBUG, ERROR, WARNING, CheckMessage, Debug, Error, Info
from django.core.checks import Warning as Concern
from django.db import Error as DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Count, Max, Min
from django.utils import timezone

from config.backends.queue_addresses import is_folder_queue
from config.backups.databases import connecting
from config.celery import app
from config.doctor.site import check_free_space, describe_age, seconds_since
from config.health import dependencies
from config.health.live_checks import (
    DOCTOR,
    LIVE_CHECKS,
    NEEDS_DATABASE,
    NEEDS_TABLES,
    find_fault,
)
from filing.jobs import queue as job_queue
from filing.models import Attempt, Job

_CLOCK_SECONDS = 5  # that clocks may differ
_WORKER_CONNECTIONS = 2 * 2 + 5  # two workers with a child each, and one with four threads
_OTHER_CONNECTIONS = 3  # beat, a command, and a person who looks
_DEPTH = 1000  # due jobs
_ANSWER_SECONDS = 2
# Beat writes its schedule every three minutes.
_BEAT_SECONDS = 15 * 60


@LIVE_CHECKS.register("database", DOCTOR)
def check_database(**options: Any) -> Iterator[CheckMessage]:
    """Check that the database answers, is supported, and has room for all connections."""
    if faults := list(dependencies.check_database()):
        yield from faults
        return
    with dependencies.connect_for_check() as connection:
        installed = connection.get_database_version()
        least = connection.features.minimum_database_version or ()
        text = f"{connection.display_name} {'.'.join(map(str, installed))}"
        if installed < least:
            hint = f"Upgrade it to {'.'.join(map(str, least))} or newer."
            yield Error(f"{text} is not supported.", hint, id="database.old")
        else:
            yield Debug(f"{text} answers.")
        look = _check_postgresql if connection.vendor == "postgresql" else _check_sqlite
        yield from look(connection)


def _check_postgresql(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    statement = "SELECT current_setting('server_encoding'), current_setting('TimeZone')"
    encoding, zone = _read_row(connection, statement)
    if encoding != "UTF8":
        hint = "Create the database again with ENCODING 'UTF8', and restore a backup into it."
        text = f"The encoding of the database is {encoding}."
        yield Error(text, hint, id="database.encoding")
    if zone != settings.TIME_ZONE:
        hint = "Remove the time zone from the options in DATABASE_URL."
        text = f"The time zone of connections is {zone}, not {settings.TIME_ZONE}."
        yield Error(text, hint, id="database.time_zone")
    most, reserved, in_use = _read_row(
        connection,
        "SELECT current_setting('max_connections')::int,"
        " current_setting('superuser_reserved_connections')::int,"
        " (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')",
    )
    yield count_connections(int(most) - int(reserved), in_use=int(in_use))


def count_connections(most: int, *, in_use: int) -> CheckMessage:
    """Return a message about whether so many connections suffice for one machine."""
    from config import web_server  # reads the settings of the server

    web = web_server.workers * settings.WEB_THREADS
    needed = web + _WORKER_CONNECTIONS + _OTHER_CONNECTIONS
    is_tight = needed + settings.WEB_THREADS > most or in_use > 0.9 * most
    return CheckMessage(
        ERROR if needed > most else WARNING if is_tight else DEBUG,
        f"{most} connections are allowed and {in_use} in use; one machine needs up to {needed} "
        f"({web_server.workers} web processes with {settings.WEB_THREADS} threads, and workers), "
        f"and {needed + settings.WEB_THREADS} while one of them is replaced.",
        "Raise max_connections, or lower WEB_THREADS.",
        id="database.connections",
    )


def _check_sqlite(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    (mode,) = _read_row(connection, "PRAGMA journal_mode")
    if mode != "wal":
        yield Error(
            f"The journal of the database is {mode}, not wal: readers and writers block each "
            "other.",
            "Put DATA_DIR on a local disk; network drives do not support it.",
            id="database.journal",
        )
    path = Path(str(connection.settings_dict["NAME"]))
    if path.parent.stat().st_dev != settings.DATA_DIR.stat().st_dev:
        yield check_free_space(path.parent, "the database")
    yield Debug(f"{path.name} has {path.stat().st_size / 1e6:,.1f} MB.")


def _read_row(connection: BaseDatabaseWrapper, statement: str) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        row: tuple[Any, ...] | None = cursor.fetchone()
    if row is None:
        raise DatabaseError("The database answers without a row.")
    return row


@LIVE_CHECKS.register("migrations", DOCTOR, NEEDS_DATABASE)
def check_migrations(**options: Any) -> Iterator[CheckMessage]:
    """Look for migrations that are missing, unknown, or of before the first release."""
    with dependencies.connect_for_check() as connection:
        applied = [".".join(name) for name in dependencies.read_applied(connection)]
    if connecting.is_too_old(applied):
        yield Error(
            f"The database {connecting.TOO_OLD}", connecting.INSTEAD, id="migrations.too_old"
        )
        return
    faults = list(dependencies.check_migrations())
    for each in faults:  # whose text has the hint, too, for `/readyz`
        yield Error(each.msg.removesuffix(" Run manage.py prepare."), each.hint, id=each.id)
    ours = ("databrowser.", "filing.", "graphs.", "limits.", "ratespread.")
    if newer := [name for name in connecting.unknown_migrations(applied) if name.startswith(ours)]:
        more = f" and {len(newer) - 3} more" if len(newer) > 3 else ""
        yield Concern(
            f"The database has migrations of a newer release: {', '.join(newer[:3])}{more}.",
            "Fine during an upgrade, and after a step back to the release before; else install "
            "the newer release. See Upgrades in the operators' guide.",
            id="migrations.newer",
        )
    if not faults:
        yield Debug(f"All of this version are applied ({len(applied)} in the database).")


@LIVE_CHECKS.register("clock", DOCTOR, NEEDS_DATABASE)
def check_database_clock(**options: Any) -> Iterator[CheckMessage]:
    """Compare this machine's clock with the database server's."""
    with dependencies.connect_for_check() as connection:
        if connection.vendor != "postgresql":
            yield Info("SQLite has the clock of this machine.")
            return
        began = time.time()
        (server,) = _read_row(connection, "SELECT extract(epoch FROM clock_timestamp())")
        here = (began + time.time()) / 2
    yield compare_clocks(float(server) - here, "the database server")


def compare_clocks(seconds: float, other: str) -> CheckMessage:
    """Return a message about how far another clock is ahead of this machine's."""
    direction = "ahead of" if seconds > 0 else "behind"
    return CheckMessage(
        ERROR if abs(seconds) > _CLOCK_SECONDS else DEBUG,
        f"The clock of {other} is {abs(seconds):.1f} seconds {direction} this machine's.",
        "Synchronize both with a time server: leases, tokens and deadlines depend on it.",
        id="clock.differs",
    )


@LIVE_CHECKS.register("workers", DOCTOR)
def check_workers(**options: Any) -> Iterator[CheckMessage]:
    """Look for live workers of each queue."""
    if find_fault(dependencies.check_broker):
        yield Info("Not looked at: workers are reached through the broker.")
        return
    answers = app.control.inspect(timeout=_ANSWER_SECONDS).active_queues() or {}
    served = Counter(queue["name"] for queues in answers.values() for queue in queues)
    # On a machine of its own, the other workers sleep until there are jobs for them.
    needed = ("small",) if is_folder_queue(app.conf.broker_url) else job_queue.QUEUES
    if missing := [queue for queue in needed if not served[queue]]:
        text = f"No worker answers for the queue {' and the queue '.join(missing)}."
        hint = "Start worker-small, worker-large and worker-other, or look at their logs."
        yield Error(text, hint, id="workers.away")
    else:
        numbers = ", ".join(f"{queue} {served[queue]}" for queue in job_queue.QUEUES)
        yield Debug(f"Workers by queue: {numbers}.")


@LIVE_CHECKS.register("beat", DOCTOR)
def check_beat(**options: Any) -> Iterator[CheckMessage]:
    """Look at the schedule that beat writes while it works."""
    files = list(settings.DATA_DIR.glob("beat-schedule*"))
    if not files:
        yield Concern(
            "Beat has left no schedule in DATA_DIR: nothing is published, cleared or checked by "
            "the clock.",
            "Start beat once; ignore this if it runs on another machine.",
            id="beat.never",
        )
        return
    seconds = time.time() - max(file.stat().st_mtime for file in files)
    if seconds > _BEAT_SECONDS:
        yield Error(
            f"Beat last wrote its schedule {describe_age(seconds)} ago.",
            "Start beat again; its log has the reason. Nothing is published, cleared or checked "
            "by the clock until then.",
            id="beat.late",
        )
    else:
        yield Debug(f"It wrote its schedule {describe_age(seconds)} ago.")


@LIVE_CHECKS.register("jobs", DOCTOR, NEEDS_TABLES)
def check_jobs(**options: Any) -> Iterator[CheckMessage]:
    """Count the jobs: how many are due, since when, and which have failed."""
    now = timezone.now()
    due: Counter[str] = Counter()
    due_since: dict[str, datetime] = {}
    for stage, is_large, number, since in (
        Job.objects.filter(job_queue.is_due(now))
        .order_by()
        .values_list("stage", "large")
        .annotate(number=Count("pk"), since=Min("not_before"))
    ):
        queue = job_queue.name_queue(stage, large=is_large)
        due[queue] += number
        due_since[queue] = min(since, due_since.get(queue, since))
    for queue, since in due_since.items():
        seconds = seconds_since(since)
        if seconds > job_queue.OLD_QUEUE_SECONDS[queue]:
            age = describe_age(seconds)
            text = f"The oldest of {due[queue]:,} jobs in the queue {queue} has waited for {age}."
            hint = "Look at the workers below; if all of them work, add one."
            yield Error(text, hint, id="jobs.late")
    if due.total() > _DEPTH:
        hint = "Add workers, as last-day.md says."
        yield Concern(f"{due.total():,} jobs wait.", hint, id="jobs.many")
    if number := Job.objects.filter(job_queue.is_abandoned(now)).count():
        hint = "Other workers take them within seconds. If the number stays, look at the workers."
        yield Concern(f"Jobs whose worker stopped responding: {number}.", hint, id="jobs.abandoned")
    yield from _count_failed(now)
    numbers = ", ".join(f"{due[queue]:,} in {queue}" for queue in job_queue.QUEUES)
    yield Debug(f"Due jobs: {numbers}.")


def _count_failed(now: datetime) -> Iterator[CheckMessage]:
    failed = job_queue.find_failed_jobs()
    recent = failed.filter(finished_at__gte=now - timedelta(days=1))
    stages = dict(recent.order_by().values_list("stage").annotate(number=Count("pk")))
    if stages:
        parts = ", ".join(f"{stage} {number}" for stage, number in sorted(stages.items()))
        text = f"Jobs that failed within a day: {parts}."
        hint = "Open Jobs in the admin, filter by attention, and read why."
        yield Concern(text, hint, id="jobs.failed")
    if older := failed.exclude(pk__in=recent.values("pk")).count():
        yield Debug(f"Jobs that failed earlier: {older:,}.")


@LIVE_CHECKS.register("work", DOCTOR, NEEDS_TABLES)
def check_work(**options: Any) -> Iterator[CheckMessage]:
    """Look at the last signs of work in the database."""
    now = timezone.now()
    at_work = job_queue.find_running_jobs(now).aggregate(number=Count("pk"), last=Max("heartbeat"))
    last = Attempt.objects.aggregate(last=Max("ended_at"))["last"]
    if at_work["number"]:
        age = seconds_since(at_work["last"]) if at_work["last"] else math.inf
        yield Debug(f"Running jobs: {at_work['number']}; the last heartbeat was {age:.0f} s ago.")
    if last is None:
        yield Debug("No job has been run yet.")
        return
    text = f"The last job ended {describe_age(seconds_since(last))} ago"
    has_waiting = Job.objects.filter(job_queue.is_due_for_long(now)).exists()
    if has_waiting and not at_work["number"] and job_queue.has_waited_long(last):
        hint = "Restart the workers; their logs have the reason."
        yield Error(f"{text}, and others wait.", hint, id="work.stopped")
    else:
        yield Debug(f"{text}.")
