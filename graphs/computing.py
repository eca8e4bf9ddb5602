"""Computing all graphs: requested by staff or by a publication, done by a job, then shown.

A version is never changed. A single row names the version shown, so that readers see all graphs of
the same version, and an earlier one can be shown again.

Sources are files of facts. A year with an import comes from that import. Other years come from the
submission of each filing that counts: the annual ones once the data set of the year is published or
a later year has begun, the quarterly ones until then, and again once staff withdrew the year.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from databrowser.models import ModifiedLar
from databrowser.publication.records import quarterly_facts
from databrowser.publication.versions import live_versions
from filing import standing, storage
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotReady
from filing.jobs import claims, queue
from filing.models import Institution, Job, Submission
from filing.panel import lar_counts
from filing.registries import Lease
from graphs.measurement import FactsFiles, measure_all
from graphs.models import Computation, ComputedGraph, FactsImport, Shown
from graphs.quarters import ComputedLine, Measurement

log = logging.getLogger(__name__)

COMPUTATION_JOB = "graphs"  # kind of job
# Quarterly filings arrive by the hundred within days: those within this time are computed together.
GATHERING_SECONDS = 600
RULES = 2  # increased when the same facts give other figures


def request_computation(
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
            queue.bring_job_forward(waiting.job, begins, notifies=not wait_seconds)
            return waiting
        job = queue.add_job(COMPUTATION_JOB, not_before=begins, notifies=not wait_seconds)
        return Computation.objects.create(job=job, force=force, reason=reason, **_requester(by))


def repeat_computation(submission: Submission, *, by: Caller, reason: str) -> str:
    """Compute all graphs again, as after the signature of a submission; return what was done."""
    request_computation(by=by, reason=f"{submission}: {reason}", force=True)
    return "The computation of the graphs is in the queue."


def compute_graphs_now(*, reason: str = "", force: bool = False) -> Computation:
    """Compute in this process, without a worker, and return the computation.

    Raises: NotReady when a worker has taken the job.
    """
    computation = Computation.objects.create(
        job=queue.add_job(COMPUTATION_JOB, notifies=False),
        force=force,
        reason=reason,
        **_requester(SERVICE),
    )
    lease = claims.claim_job(computation.job_id)
    if lease is None:
        raise NotReady(f"A worker is already computing {computation}.")
    try:
        with lease.renewed():
            run_computation(lease)
    except Exception as error:
        with transaction.atomic():
            lease.fail(f"{type(error).__name__}: {error}")
        raise
    computation.refresh_from_db()
    return computation


def run_computation(lease: Lease) -> None:
    """Compute the graphs of a job and show them to readers."""
    computation = Computation.objects.get(job_id=lease.job_id)
    inputs = find_sources()
    shown_with_same_sources = Shown.objects.filter(computation__sources_sha256=inputs.sha256)
    if not computation.force and shown_with_same_sources.exists():
        with transaction.atomic():
            lease.finish()
            Computation.objects.filter(pk=computation.pk).update(state=Computation.State.UNCHANGED)
        return
    began = timezone.now()
    with storage.make_work_folder() as folder:
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
        if find_sources().sha256 != inputs.sha256:  # sources changed in the meantime
            request_computation()
    log.info("Graphs, %s: %s facts", computation, measurement.rows)


def plan_show_version(computation: Computation) -> str:
    """Return what showing a version would do.

    Raises: BadInput for one that is not computed or is already shown.
    """
    if computation.state != Computation.State.MADE:
        raise BadInput(f"{str(computation).capitalize()} is not computed, so it cannot be shown.")
    current = Shown.objects.filter(pk=Shown.ONLY).first()
    if current and current.computation_id == computation.pk:
        raise BadInput(f"{str(computation).capitalize()} is already shown.")
    return f"It is shown to readers instead of {current}." if current else "It is shown to readers."


def show_version(computation: Computation, *, by: Caller, reason: str) -> str:
    """Show a version to readers until the next one is computed; return what was done."""
    plan_show_version(computation)
    _show(computation, by=by, reason=reason)
    return "It is shown to readers now."


def _show(computation: Computation, *, by: Caller, reason: str) -> None:
    fields: dict[str, Any] = {"computation": computation, "at": timezone.now(), "reason": reason}
    Shown.objects.update_or_create(pk=Shown.ONLY, defaults=fields | _requester(by))


def _requester(by: Caller) -> dict[str, str]:
    return {"actor_id": by.id, "actor_username": by.username, "actor_email": by.email}


def _rows(computation: Computation, measurement: Measurement) -> list[ComputedGraph]:
    return [
        ComputedGraph(
            computation=computation, endpoint=endpoint, lines=[_json(line) for line in lines]
        )
        for endpoint, lines in measurement.lines.items()
    ]


def _json(line: ComputedLine) -> dict[str, Any]:
    return {
        "name": line.name,
        "points": [[str(quarter), value] for quarter, value in line.points.items()],
        "small": [str(quarter) for quarter in line.small],
    }


@dataclass(frozen=True)
class FactsSource:
    """A file of facts. mark: changes with its content. about: its origin, in words."""

    year: int
    annual: bool
    folder: str
    mark: str
    about: str
    is_demo: bool = False


@dataclass(frozen=True)
class FactsSources:
    """All files of facts, and the quarterly filers in the panel of a year, if there is one."""

    files: tuple[FactsSource, ...]
    filers: frozenset[str]
    panel_year: int | None

    @property
    def sha256(self) -> str:
        """A hash that changes with any of the sources."""
        marks = sorted(f"{source.year} {source.annual} {source.mark}" for source in self.files)
        content = "\n".join([f"rules {RULES}", *marks, *sorted(self.filers)])
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def is_demo(self) -> bool:
        return any(source.is_demo for source in self.files)

    @property
    def by_year(self) -> list[dict[str, Any]]:
        """The origin of each year and its number of files, for the admin and commands."""
        numbers = Counter((source.year, source.about, source.is_demo) for source in self.files)
        return [
            {"year": year, "from": about, "files": files} | ({"demo": True} if is_demo else {})
            for (year, about, is_demo), files in sorted(numbers.items())
        ]

    def local(self) -> FactsFiles:
        """Return the files on this machine."""
        paths: dict[bool, list[Any]] = {True: [], False: []}
        for source in self.files:
            paths[source.annual].append(
                storage.open_local_copy(f"{source.folder}/{quarterly_facts.FILE}")
            )
        return FactsFiles(annual=paths[True], quarterly=paths[False])


def find_sources() -> FactsSources:
    """Return the sources of a computation now."""
    imports = FactsImport.objects.filter(active=True)
    files = [
        FactsSource(
            imported.year,
            imported.annual,
            imported.folder,
            imported.sha256,
            f"{'annual' if imported.annual else 'quarterly'} filings, "
            f"imported from {imported.source}",
            imported.is_demo,
        )
        for imported in imports
    ]
    signed = _signed()
    years = {source.year for source in (*files, *signed)}
    finished = set(live_versions.published_versions().values_list("year", flat=True))
    finished |= years - {max(years, default=0)} - live_versions.withdrawn_years()
    from_imports = {source.year for source in files}
    files += [
        source
        for source in signed
        if source.year not in from_imports and source.annual == (source.year in finished)
    ]
    return FactsSources(tuple(files), *_filers(years))


def _signed() -> list[FactsSource]:
    """Return the modified LAR in use of each filing, the one that was signed last at the end."""
    lars = (
        ModifiedLar.objects.in_use()
        .order_by("submission__signature__signed_at", "submission_id")
        .values(
            "folder",
            "sha256",
            "submission_id",
            year=F("submission__filing__period__year"),
            quarter=F("submission__filing__period__quarter"),
        )
    )
    return [
        FactsSource(
            lar["year"],
            not lar["quarter"],
            lar["folder"],
            f"{lar['submission_id']} {lar['sha256']}",
            "quarterly filings" if lar["quarter"] else "annual filings",
        )
        for lar in lars
    ]


def _filers(years: Iterable[int]) -> tuple[frozenset[str], int | None]:
    """Return the quarterly filers and the year of their panel, that of the newest year if possible.

    If it has no quarterly filers, the newest earlier panel that has some is used.
    """
    until = max(years, default=0)
    filers = dict(lar_counts.find_quarterly_filers(until).values_list("lei", "activity_year"))
    if filers:
        return frozenset(filers), next(iter(filers.values()))
    panel = Institution.objects.filter(standing.is_real_institution(), activity_year__lte=until)
    return frozenset(), panel.aggregate(year=Max("activity_year"))["year"]
