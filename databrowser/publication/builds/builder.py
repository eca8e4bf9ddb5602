"""Builds the data set of a year: an errand of the job table.

    publication/years/<year>/<number>-<attempt>/loans.parquet    all rows, sorted by place
                                                serving.duckdb   what queries ask
                                                loans.csv.gz     to be downloaded
                                                loans.txt.gz     the same with pipes
                                                manifest.json    what all this is

Everything is written beside and kept whole. Then one transaction finishes the lease, says that the
version is built, and lets it go live. A build that was killed before leaves what is live as it is,
and is taken up again in a folder of its own.
"""

from __future__ import annotations

import json
import logging
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from databrowser.models import LiveVersion, Publication, Version
from databrowser.publication import scratch_database
from databrowser.publication.builds import (
    build_requests,
    downloads,
    serving_file,
    sorted_rows,
    sources,
)
from databrowser.publication.builds.sources import Sources
from databrowser.publication.columns import PUBLIC
from databrowser.publication.disclosing import modified_lars
from databrowser.publication.layout import LOANS, MANIFEST, SERVING, VERSIONS
from databrowser.publication.scratch_database import Progress
from databrowser.publication.versions import live_versions
from filing import storage
from filing.access import Caller
from filing.errors import Hopeless, NotReady
from filing.files.digests import sha256
from filing.jobs import claims, loop
from filing.models import Job
from filing.registries.kinds import Lease

log = logging.getLogger(__name__)

# How far a build is after each of its parts, by the time that they take.
_GATHERED, _SORTED, _SERVED, _WRITTEN = 0.01, 0.5, 0.65, 0.98


def run(lease: Lease) -> None:
    """Build the version of a job, or find that nothing is new.

    Raises: Hopeless when there is nothing to build it of.
    """
    version = Version.objects.get(job_id=lease.job_id)
    found, gathered_at = _disclosed(version.year)
    if found.is_empty:
        raise Hopeless(f"There is nothing left to publish for {version.year}.")
    if sources.are_live(found):
        with transaction.atomic():
            lease.finish()
            Version.objects.filter(pk=version.pk).update(
                state=Version.State.UNCHANGED, gathered_at=gathered_at
            )
        return
    version.gathered_at = gathered_at
    folder = f"{VERSIONS}/{version.year}/{version.number}-{lease.mark}"
    lease.rows_total = sorted_rows.rows_of(found)
    with storage.workshop() as made:
        manifest = _make(made, version, found, _shown(lease))
        lease.require()
        for name in manifest["files"]:
            storage.keep(made / name, f"{folder}/{name}")
        written = made / MANIFEST
        written.write_text(json.dumps(manifest, indent=1) + "\n")
        version.sha256 = sha256(written)
        storage.keep(written, f"{folder}/{MANIFEST}")
    lease.rows_done = lease.rows_total = manifest["rows"]
    _finish(version, lease, folder, manifest)
    _discard_other_attempts(version, folder)
    log.info("Version %s was built, with %s rows", version.name, manifest["rows"])


def build(year: int, *, by: Caller, reason: str, goes_live: bool = True) -> Version:
    """Build a year in this process and return its version.

    Raises: what `build_requests.ask` raises; NotReady when it was not built.
    """
    version = build_requests.ask(year, by=by, reason=reason, goes_live=goes_live, ring=False)
    lease = claims.claim(version.job_id)
    if lease is None:
        raise NotReady(f"A worker builds version {version.name} already.")
    loop.attempt(lease)
    built = Version.objects.select_related("job").get(pk=version.pk)
    if built.state == Version.State.ASKED:
        raise NotReady(f"Version {built.name} was not built: {built.job.last_error}")
    return built


def _disclosed(year: int) -> tuple[Sources, datetime]:
    """Return the sources of a year, after what is signed and waits to be disclosed was tried.

    With them the moment from which on something may not be among them.

    What another worker is at, or what cannot be disclosed, is missing.
    """
    now = timezone.now()
    found = sources.of_year(year)
    if not found.missing:
        return found, now
    modified_lars.ask_for_missing()
    waiting = Job.objects.filter(
        stage=modified_lars.STAGE,
        state=Job.State.QUEUED,
        modified_lars__submission__filing__period__year=year,
        modified_lars__submission__filing__period__quarter="",
    )
    for job in waiting.order_by("pk"):
        if lease := claims.claim(job.pk):
            loop.attempt(lease)
    now = timezone.now()
    return sources.of_year(year), now


def _make(folder: Path, version: Version, found: Sources, progress: Progress) -> dict[str, Any]:
    """Write all files of a version but the manifest, and return that."""
    loans = folder / LOANS
    with scratch_database.opened(folder) as database:
        sorted_rows.write(database, found, loans, _within(progress, _GATHERED, _SORTED))
        counted = _counted(database, loans)
    serving_file.write(loans, sources.names(found), folder / SERVING)
    progress(_SERVED)
    downloads.write(loans, folder, _within(progress, _SERVED, _WRITTEN))
    files = [LOANS, SERVING, *(form.file for form in downloads.FORMS.values() if form.separator)]
    return {
        "year": version.year,
        "version": version.name,
        "madeUp": found.is_demo,
        "rows": counted["rows"],
        "institutions": counted["institutions"],
        "sources": {
            "signed": {
                "institutions": len(found.signed),
                "rows": sum(each.rows for each in found.signed),
            },
            "imports": [
                {"source": each.source, "sha256": each.sha256, "rows": each.rows}
                for each in found.imports
            ],
            "missing": list(found.missing),
        },
        "files": {name: downloads.fact(folder / name) for name in files},
        "columns": [{"name": each.name, "type": str(each.dtype())} for each in PUBLIC],
        "fingerprint": found.fingerprint,
    }


def _counted(database: Any, loans: Path) -> dict[str, int]:
    rows, institutions = database.execute(
        "SELECT count(*), count(DISTINCT lei) FROM read_parquet(?)", [str(loans)]
    ).fetchone()
    return {"rows": rows, "institutions": institutions}


def _finish(version: Version, lease: Lease, folder: str, manifest: dict[str, Any]) -> None:
    """Say that it is built, and let it go live unless a later one is."""
    with transaction.atomic():
        lease.finish()
        Version.objects.filter(pk=version.pk).update(
            state=Version.State.BUILT,
            folder=folder,
            rows=manifest["rows"],
            institutions=manifest["institutions"],
            sha256=version.sha256,
            manifest=manifest,
            is_demo=manifest["madeUp"],
            gathered_at=version.gathered_at,
            made_at=timezone.now(),
        )
        later = LiveVersion.objects.filter(year=version.year, version__number__gt=version.number)
        if version.goes_live and not later.exists():
            by = Caller(
                id=version.actor_id, username=version.actor_username, email=version.actor_email
            )
            what = Publication.What.PUBLISHED
            live_versions.switch(version, what, by=by, reason=version.reason)


def _discard_other_attempts(version: Version, kept: str) -> None:
    whole, _, _ = kept.rpartition("/")
    for name in default_storage.listdir(whole)[0]:
        if name.startswith(f"{version.number}-") and f"{whole}/{name}" != kept:
            storage.discard(f"{whole}/{name}")


def _shown(lease: Lease) -> Progress:
    """Return what shows the progress in the rows of the job."""

    def tell(done: float) -> None:
        lease.rows_done = round(lease.rows_total * done)

    return tell


def _within(progress: Progress, begin: float, end: float) -> Progress:
    return lambda done: progress(begin + done * (end - begin))
