"""The queue: the broker, the jobs, the workers and beat."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Max, Min
from django.utils import timezone

from config.celery import app
from config.doctor.findings import Finding, Options, error, fine, left_out, warning
from config.doctor.parts.ages import in_words, seconds_since
from config.health import dependencies
from config.metrics.jobs import QUEUES
from filing.jobs import long_waits, waiting
from filing.models import Attempt, Job

_DEPTH = 1000  # due jobs
_ANSWER_SECONDS = 2
# Beat writes its schedule every three minutes.
_BEAT_SECONDS = 15 * 60


def broker(options: Options) -> Iterator[Finding]:
    """Look at the broker, which passes jobs to workers."""
    if reason := dependencies.broker():
        yield error(
            reason,
            "Start Redis, or correct CELERY_BROKER_URL. Nothing is lost: jobs are in the database.",
        )
    else:
        kind = "The folder of the queue" if _is_folder() else "Redis"
        yield fine(f"{kind} takes messages.")


def jobs(options: Options) -> Iterator[Finding]:
    """Look at the jobs: how many are due, since when, and which have failed."""
    now = timezone.now()
    due: Counter[str] = Counter()
    for is_large, number, since in (
        Job.objects.filter(waiting.is_due(now))
        .order_by()
        .values_list("large")
        .annotate(number=Count("pk"), since=Min("not_before"))
    ):
        queue = QUEUES[is_large]
        due[queue] = number
        seconds = seconds_since(since)
        if seconds > long_waits.OLD_QUEUE_SECONDS[queue]:
            yield error(
                f"The oldest of {number:,} jobs in the queue {queue} has waited for "
                f"{in_words(seconds)}.",
                "Look at the workers below; if all of them work, add one.",
            )
    if due.total() > _DEPTH:
        yield warning(f"{due.total():,} jobs wait.", "Add workers, as last-day.md says.")
    yield from _expired(now)
    yield from _failed(now)
    numbers = ", ".join(f"{due[queue]:,} in {queue}" for queue in QUEUES)
    yield fine(f"Due jobs: {numbers}.")


def _expired(now: datetime) -> Iterator[Finding]:
    if number := Job.objects.filter(waiting.is_abandoned(now)).count():
        yield warning(
            f"Jobs whose worker stopped responding: {number}.",
            "Other workers take them within seconds. If the number stays, look at the workers.",
        )


def _failed(now: datetime) -> Iterator[Finding]:
    failed = Job.objects.filter(state=Job.State.FAILED)
    recent = failed.filter(finished_at__gte=now - timedelta(days=1))
    stages = dict(recent.order_by().values_list("stage").annotate(number=Count("pk")))
    if stages:
        parts = ", ".join(f"{stage} {number}" for stage, number in sorted(stages.items()))
        yield warning(
            f"Jobs that failed within a day: {parts}.",
            "Open Jobs in the admin, filter by failed, and read why.",
        )
    if older := failed.exclude(pk__in=recent.values("pk")).count():
        yield fine(f"Jobs that failed earlier: {older:,}.")


def workers(options: Options) -> Iterator[Finding]:
    """Look for live workers of each queue, and for their last work."""
    if dependencies.broker():
        yield left_out("Not looked at: workers are reached through the broker.")
        return
    answers = app.control.inspect(timeout=_ANSWER_SECONDS).active_queues() or {}
    served = dict.fromkeys(QUEUES, 0)
    for queues in answers.values():
        for queue in queues:
            if queue["name"] in served:
                served[queue["name"]] += 1
    missing = [queue for queue, number in served.items() if not number]
    if missing:
        yield error(
            f"No worker answers for the queue {' and the queue '.join(missing)}.",
            "Start worker-small and worker-large, or look at the end of their logs.",
        )
    else:
        numbers = ", ".join(f"{queue} {number}" for queue, number in served.items())
        yield fine(f"Workers by queue: {numbers}.")


def work(options: Options) -> Iterator[Finding]:
    """Look at the last signs of work in the database."""
    now = timezone.now()
    at_work = waiting.at_work(now).aggregate(number=Count("pk"), last=Max("heartbeat"))
    last = Attempt.objects.aggregate(last=Max("ended_at"))["last"]
    if at_work["number"]:
        beat = seconds_since(at_work["last"]) if at_work["last"] else math.inf
        yield fine(f"Running jobs: {at_work['number']}; the last heartbeat was {beat:.0f} s ago.")
    waits = Job.objects.filter(long_waits.is_due_for_long(now))
    if last is None:
        yield fine("No job has been run yet.")
    elif waits.exists() and not at_work["number"] and long_waits.waits_long(last):
        yield error(
            f"The last job ended {in_words(seconds_since(last))} ago, and others wait.",
            "Restart the workers; their logs have the reason.",
        )
    else:
        yield fine(f"The last job ended {in_words(seconds_since(last))} ago.")


def beat(options: Options) -> Iterator[Finding]:
    """Look at the schedule that beat writes while it works."""
    files = list(settings.DATA_DIR.glob("beat-schedule*"))
    if not files:
        yield warning(
            "Beat has left no schedule in DATA_DIR: nothing is published, cleared or checked by "
            "the clock.",
            "Start beat once; ignore this if it runs on another machine.",
        )
        return
    seconds = time.time() - max(file.stat().st_mtime for file in files)
    if seconds > _BEAT_SECONDS:
        yield error(
            f"Beat last wrote its schedule {in_words(seconds)} ago.",
            "Start beat again; its log has the reason. Nothing is published, cleared or checked "
            "by the clock until then.",
        )
    else:
        yield fine(f"It wrote its schedule {in_words(seconds)} ago.")


def _is_folder() -> bool:
    return bool(settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("data_folder_out"))
