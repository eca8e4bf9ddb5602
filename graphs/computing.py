"""Computing all graphs: asked for by people and by what is published, done by a job, then shown.

A version is never changed. Which one readers get is one row, so that they see all graphs of one
version or all of the next, and an earlier one can be shown again.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from filing import storage
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotReady
from filing.jobs import claims, queue
from filing.models import Job
from filing.registries.kinds import Lease
from graphs import sources
from graphs.lines import Line, Measured
from graphs.measures import measure
from graphs.models import Computation, ComputedGraph, Shown

log = logging.getLogger(__name__)

KIND = "graphs"  # of job
# Quarterly filings come by the hundred in a few days: those of so long are computed together.
GATHERED_SECONDS = 600


def ask(
    *, by: Caller = SERVICE, reason: str = "", force: bool = False, wait_seconds: float = 0
) -> Computation:
    """Queue a computation and return it, or the one that is queued already.

    force: also where nothing has changed since the version that is shown. wait_seconds: how long it
    may wait for more to change.
    """
    begins = timezone.now() + timedelta(seconds=wait_seconds)
    with transaction.atomic():
        waiting = (
            Computation.objects.select_related("job")
            .filter(job__state=Job.State.QUEUED, force__in=[True, force])
            .order_by("pk")
            .first()
        )
        if waiting:
            queue.bring_forward(waiting.job, begins, rings=not wait_seconds)
            found = waiting
        else:
            job = queue.add(KIND, not_before=begins, rings=not wait_seconds)
            found = Computation.objects.create(job=job, force=force, reason=reason, **_asker(by))
    return found


def compute_now(*, by: Caller = SERVICE, reason: str = "", force: bool = False) -> Computation:
    """Compute here, without a worker, and return what was made.

    Raises: NotReady when a worker was first.
    """
    computation = Computation.objects.create(
        job=queue.add(KIND, rings=False), force=force, reason=reason, **_asker(by)
    )
    lease = claims.claim(computation.job_id)
    if lease is None:
        raise NotReady(f"A worker has begun to compute {computation} already.")
    try:
        with lease.kept():
            run(lease)
    except Exception as error:
        with transaction.atomic():
            lease.fail(f"{type(error).__name__}: {error}")
        raise
    computation.refresh_from_db()
    return computation


def run(lease: Lease) -> None:
    """Compute the graphs of a job and show them."""
    computation = Computation.objects.get(job_id=lease.job_id)
    found = sources.current()
    if not computation.force and _is_shown(found.sha256):
        with transaction.atomic():
            lease.finish()
            Computation.objects.filter(pk=computation.pk).update(state=Computation.State.UNCHANGED)
        return
    began = timezone.now()
    with storage.workshop() as made:
        measured = measure(found.local(), found.filers, workplace=made, told=lease.require)
    lease.rows_done = lease.rows_total = measured.rows
    with transaction.atomic():
        lease.finish()
        ComputedGraph.objects.bulk_create(_rows(computation, measured))
        Computation.objects.filter(pk=computation.pk).update(
            state=Computation.State.MADE,
            made_at=timezone.now(),
            seconds=(timezone.now() - began).total_seconds(),
            rows=measured.rows,
            sources=found.told,
            sources_sha256=found.sha256,
            is_demo=found.is_demo,
            filers=len(found.filers),
            panel_year=found.panel_year,
        )
        _show(computation, by=SERVICE, reason="It was computed.")
        if sources.current().sha256 != found.sha256:  # something came in between
            ask()
    log.info("Graphs, %s: %s facts", computation, measured.rows)


def plan_show(computation: Computation) -> str:
    """Return what showing a version would change.

    Raises: BadInput for one that was not made or is shown already.
    """
    if computation.state != Computation.State.MADE:
        raise BadInput(f"{str(computation).capitalize()} was not made, so it cannot be shown.")
    now = Shown.objects.filter(pk=Shown.ONLY).first()
    if now and now.computation_id == computation.pk:
        raise BadInput(f"{str(computation).capitalize()} is shown already.")
    return (
        f"Readers get it from now on, instead of {now}." if now else "Readers get it from now on."
    )


def show(computation: Computation, *, by: Caller, reason: str) -> str:
    """Let readers get a version from now on, until the next one is computed."""
    plan_show(computation)
    _show(computation, by=by, reason=reason)
    return "Readers get it now."


def _show(computation: Computation, *, by: Caller, reason: str) -> None:
    told: dict[str, Any] = {"computation": computation, "at": timezone.now(), "reason": reason}
    Shown.objects.update_or_create(pk=Shown.ONLY, defaults=told | _asker(by))


def _asker(by: Caller) -> dict[str, str]:
    return {"actor_id": by.id, "actor_username": by.username, "actor_email": by.email}


def _is_shown(sha256: str) -> bool:
    return Shown.objects.filter(computation__sources_sha256=sha256).exists()


def _rows(computation: Computation, measured: Measured) -> list[ComputedGraph]:
    return [
        ComputedGraph(computation=computation, endpoint=endpoint, lines=[_json(e) for e in lines])
        for endpoint, lines in measured.lines.items()
    ]


def _json(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "points": [[str(quarter), value] for quarter, value in line.points.items()],
        "small": [str(quarter) for quarter in line.small],
    }
