"""Computing all graphs: requested by staff or by a publication, done by a job, then shown.

A version is never changed. A single row names the version shown, so that readers see all graphs of
the same version, and an earlier one can be shown again.
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
from graphs.lines import Line, Measurement
from graphs.measurement import measure_all
from graphs.models import Computation, ComputedGraph, Shown

log = logging.getLogger(__name__)

KIND = "graphs"  # of job
# Quarterly filings arrive by the hundred within days: those within this time are computed together.
GATHERING_SECONDS = 600


def request(
    *, by: Caller = SERVICE, reason: str = "", force: bool = False, wait_seconds: float = 0
) -> Computation:
    """Queue a computation and return it, or the one already queued.

    force: compute even if nothing has changed since the version shown. wait_seconds: how long to
    wait for more changes.
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
            queue.bring_forward(waiting.job, begins, notifies=not wait_seconds)
            computation = waiting
        else:
            job = queue.add(KIND, not_before=begins, notifies=not wait_seconds)
            computation = Computation.objects.create(
                job=job, force=force, reason=reason, **_requester(by)
            )
    return computation


def compute_now(*, by: Caller = SERVICE, reason: str = "", force: bool = False) -> Computation:
    """Compute in this process, without a worker, and return the computation.

    Raises: NotReady when a worker has taken the job.
    """
    computation = Computation.objects.create(
        job=queue.add(KIND, notifies=False), force=force, reason=reason, **_requester(by)
    )
    lease = claims.claim(computation.job_id)
    if lease is None:
        raise NotReady(f"A worker is already computing {computation}.")
    try:
        with lease.renewed():
            run(lease)
    except Exception as error:
        with transaction.atomic():
            lease.fail(f"{type(error).__name__}: {error}")
        raise
    computation.refresh_from_db()
    return computation


def run(lease: Lease) -> None:
    """Compute the graphs of a job and show them to readers."""
    computation = Computation.objects.get(job_id=lease.job_id)
    inputs = sources.current()
    if not computation.force and _is_shown(inputs.sha256):
        with transaction.atomic():
            lease.finish()
            Computation.objects.filter(pk=computation.pk).update(state=Computation.State.UNCHANGED)
        return
    began = timezone.now()
    with storage.work_folder() as folder:
        measurement = measure_all(
            inputs.local(), inputs.filers, workplace=folder, progress=lease.require
        )
    lease.rows_done = lease.rows_total = measurement.rows
    with transaction.atomic():
        lease.finish()
        ComputedGraph.objects.bulk_create(_rows(computation, measurement))
        Computation.objects.filter(pk=computation.pk).update(
            state=Computation.State.MADE,
            made_at=timezone.now(),
            seconds=(timezone.now() - began).total_seconds(),
            rows=measurement.rows,
            sources=inputs.by_year,
            sources_sha256=inputs.sha256,
            is_demo=inputs.is_demo,
            filers=len(inputs.filers),
            panel_year=inputs.panel_year,
        )
        _show(computation, by=SERVICE, reason="It was computed.")
        if sources.current().sha256 != inputs.sha256:  # sources changed in the meantime
            request()
    log.info("Graphs, %s: %s facts", computation, measurement.rows)


def plan_show(computation: Computation) -> str:
    """Return what showing a version would do.

    Raises: BadInput for one that is not computed or is already shown.
    """
    if computation.state != Computation.State.MADE:
        raise BadInput(f"{str(computation).capitalize()} is not computed, so it cannot be shown.")
    shown = Shown.objects.filter(pk=Shown.ONLY).first()
    if shown and shown.computation_id == computation.pk:
        raise BadInput(f"{str(computation).capitalize()} is already shown.")
    return f"It is shown to readers instead of {shown}." if shown else "It is shown to readers."


def show(computation: Computation, *, by: Caller, reason: str) -> str:
    """Show a version to readers until the next one is computed; return what was done."""
    plan_show(computation)
    _show(computation, by=by, reason=reason)
    return "It is shown to readers now."


def _show(computation: Computation, *, by: Caller, reason: str) -> None:
    fields: dict[str, Any] = {"computation": computation, "at": timezone.now(), "reason": reason}
    Shown.objects.update_or_create(pk=Shown.ONLY, defaults=fields | _requester(by))


def _requester(by: Caller) -> dict[str, str]:
    return {"actor_id": by.id, "actor_username": by.username, "actor_email": by.email}


def _is_shown(sha256: str) -> bool:
    return Shown.objects.filter(computation__sources_sha256=sha256).exists()


def _rows(computation: Computation, measurement: Measurement) -> list[ComputedGraph]:
    return [
        ComputedGraph(
            computation=computation, endpoint=endpoint, lines=[_json(line) for line in lines]
        )
        for endpoint, lines in measurement.lines.items()
    ]


def _json(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "points": [[str(quarter), value] for quarter, value in line.points.items()],
        "small": [str(quarter) for quarter in line.small],
    }
