"""Builds the data set of a year, as a job.

    publication/years/<year>/<number>-<attempt>/loans.parquet    all records, sorted by place
                                                typed.parquet    the same with types, which the
                                                                 public gets as loans.parquet
                                                typed-CA.parquet, ...  those of each state
                                                serving.duckdb   the tables that queries read
                                                loans.csv.gz     for downloads, comma-delimited
                                                loans.txt.gz     the same, pipe-delimited
                                                sheets, institutions, msamds   .csv, .txt, .parquet
                                                manifest.json    sources, sizes and hashes
                                                reconciliation.json   of a vintage, for staff

All files are stored first. Then one transaction finishes the lease, marks the version as built and
publishes it. A build that is killed before leaves the published version unchanged; the next attempt
starts over in a new folder.
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

from databrowser.models import Dataset, Publication, Version
from databrowser.publication import typed_files
from databrowser.publication.builds import (
    build_requests,
    reconciliation,
    sources,
    tables,
    version_files,
)
from databrowser.publication.builds.sources import BuildSources
from databrowser.publication.columns import PUBLIC
from databrowser.publication.layout import (
    LOANS,
    MANIFEST,
    RECONCILIATION,
    SERVING,
    TYPED,
    VERSIONS,
    name_state_file,
)
from databrowser.publication.modified_lars import lar_requests
from databrowser.publication.scratch_database import Progress, narrow_progress
from databrowser.publication.versions import live_versions
from filing import storage
from filing.access import Caller
from filing.errors import Hopeless, NotReady
from filing.files.local_files import hash_file
from filing.jobs import claims, loop
from filing.models import Job
from filing.registries import Lease

log = logging.getLogger(__name__)

# The progress of a build after each of its parts, by the time they take.
_GATHERED, _SORTED, _SERVED, _WRITTEN, _TYPED = 0.01, 0.33, 0.4, 0.65, 0.98


def run_build(lease: Lease) -> None:
    """Build the version of a job, or mark it unchanged if nothing is new.

    Raises: Hopeless when there are no records for it.
    """
    version = Version.objects.get(job_id=lease.job_id)
    inputs, gathered_at = _gather(version)
    if inputs.is_empty:
        raise Hopeless(f"There are no records to publish for {version.year}.")
    if sources.are_live(inputs):
        with transaction.atomic():
            lease.finish()
            Version.objects.filter(pk=version.pk).update(
                state=Version.State.UNCHANGED, gathered_at=gathered_at
            )
        return
    version.gathered_at = gathered_at
    stored = f"{VERSIONS}/{version.year}/{version.number}-{lease.attempt_id}"
    lease.rows_total = sources.count_rows(inputs)
    with storage.make_work_folder() as folder:
        progress = _progress_of(lease)
        loans = folder / LOANS
        sources.write_sorted_rows(inputs, loans, narrow_progress(progress, _GATHERED, _SORTED))
        counts = sources.count_by_lei(loans)
        manifest = _make(folder, version, inputs, counts, progress)
        if version.is_vintage:
            version.disagreements = _store_reconciliation(version, inputs, counts, folder, stored)
        lease.require()
        for name in manifest["files"]:
            storage.store_file(folder / name, f"{stored}/{name}")
        manifest_file = folder / MANIFEST
        manifest_file.write_text(json.dumps(manifest, indent=1) + "\n")
        version.sha256 = hash_file(manifest_file)
        storage.store_file(manifest_file, f"{stored}/{MANIFEST}")
    lease.rows_done = lease.rows_total = manifest["rows"]
    _finish(version, lease, stored, manifest)
    _discard_other_attempts(version, stored)
    log.info("Version %s was built, with %s rows", version.name, manifest["rows"])


def _store_reconciliation(
    version: Version, inputs: BuildSources, counts: dict[str, int], folder: Path, stored: str
) -> str:
    """Store the reconciliation of a vintage, and return what does not add up, a line each."""
    figures = reconciliation.reconcile_vintage(version, inputs, counts)
    file = folder / RECONCILIATION
    file.write_text(json.dumps(figures, indent=1) + "\n")
    storage.store_file(file, f"{stored}/{RECONCILIATION}")
    return "\n".join(figures["disagreements"])


def build_year(
    year: int,
    *,
    by: Caller,
    reason: str,
    dataset: str = Dataset.DYNAMIC,
    goes_live: bool = True,
) -> Version:
    """Build a data set of a year in this process and return its version.

    Raises: what `build_requests.request_build` raises; NotReady when the build failed.
    """
    version = build_requests.request_build(
        year, by=by, reason=reason, dataset=dataset, goes_live=goes_live, notifies=False
    )
    lease = claims.claim_job(version.job_id)
    if lease is None:
        raise NotReady(f"A worker is already building version {version.name}.")
    loop.run_attempt(lease)
    built = Version.objects.select_related("job").get(pk=version.pk)
    if built.state == Version.State.ASKED:
        raise NotReady(f"Version {built.name} was not built: {built.job.last_error}")
    return built


def _gather(version: Version) -> tuple[BuildSources, datetime]:
    """Return the sources of a version and the time up to which they are complete.

    Modified LARs that are still queued are prepared first. Those that another worker is preparing,
    and those that cannot be prepared, are missing.
    """
    year, frozen_on = version.year, version.frozen_on
    now = timezone.now()
    inputs = sources.read_sources(year, frozen_on=frozen_on)
    if not inputs.missing:
        return inputs, now
    lar_requests.request_missing_lars()
    waiting = Job.objects.filter(
        stage=lar_requests.LAR_STAGE,
        state=Job.State.QUEUED,
        modified_lars__submission__filing__period__year=year,
        modified_lars__submission__filing__period__quarter="",
    )
    for job in waiting.order_by("pk"):
        if lease := claims.claim_job(job.pk):
            loop.run_attempt(lease)
    now = timezone.now()
    return sources.read_sources(year, frozen_on=frozen_on), now


def _make(
    folder: Path,
    version: Version,
    inputs: BuildSources,
    counts: dict[str, int],
    progress: Progress,
) -> dict[str, Any]:
    """Write the other files of a version except the manifest, and return its content.

    counts: how many records each institution has in the file that is written.
    """
    loans = folder / LOANS
    names = sources.institution_names(inputs.year, inputs.imports)
    version_files.write_serving_file(loans, names, folder / SERVING)
    progress(_SERVED)
    version_files.write_download_files(loans, folder, narrow_progress(progress, _SERVED, _WRITTEN))
    frozen_on = version.frozen_on.isoformat() if version.frozen_on else None
    states = typed_files.write_typed_files(
        loans,
        folder,
        year=version.year,
        facts={
            "dataset": version.dataset,
            "frozen_on": frozen_on or "",
            "made_up": str(inputs.is_demo).lower(),
        },
        progress=narrow_progress(progress, _WRITTEN, _TYPED),
    )
    tables.write_tables(inputs, loans, folder, leis=counts, names=names)
    texts = (form.file for form in version_files.TEXTS)
    typed = (TYPED, *map(name_state_file, states))
    names_of_files = (LOANS, SERVING, *typed, *texts, *tables.TABLE_FILES)
    files = [folder / name for name in names_of_files]
    return {
        "year": version.year,
        "dataset": version.dataset,
        "frozenOn": frozen_on,
        "version": version.name,
        "madeUp": inputs.is_demo,
        "rows": sum(counts.values()),
        "institutions": len(counts),
        "sources": {
            "signed": {
                "institutions": len(inputs.signed),
                "rows": sum(signed.rows for signed in inputs.signed),
            },
            "imports": [
                {"source": imported.source, "sha256": imported.sha256, "rows": imported.rows}
                for imported in inputs.imports
            ],
            "missing": list(inputs.missing),
            "reference": _name_reference_data(inputs),
        },
        "files": {
            file.name: {"bytes": file.stat().st_size, "sha256": hash_file(file)} for file in files
        },
        "columns": [{"name": column.name, "type": str(column.dtype())} for column in PUBLIC],
        "typed": {"schemaVersion": typed_files.SCHEMA_VERSION, "file": TYPED, "states": states},
        "fingerprint": inputs.fingerprint,
    }


def _name_reference_data(inputs: BuildSources) -> list[dict[str, Any]]:
    """Return the census and loan limits with which the records of signed files were made."""
    data = {each.pk: each for signed in inputs.signed for each in signed.reference}
    return [
        {"kind": each.kind, "year": each.year, "source": each.source, "sha256": each.sha256}
        for _, each in sorted(data.items())
    ]


def _finish(version: Version, lease: Lease, folder: str, manifest: dict[str, Any]) -> None:
    """Mark a version as built, and publish it unless a later one or a decision is against it.

    Nor if an institution has become a test institution meanwhile: then the year is built again.
    """
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
            disagreements=version.disagreements,
            gathered_at=version.gathered_at,
            made_at=timezone.now(),
        )
        version.refresh_from_db()
        # Whoever withdraws the data set or rolls it back at the same moment holds this row.
        live = live_versions.lock_live_version(version)
        is_late = live is not None and live.version.number > version.number
        is_held = is_late or live_versions.decision_against(version)
        if version.goes_live and not is_held and not live_versions.count_test_records(version):
            by = Caller(
                id=version.actor_id, username=version.actor_username, email=version.actor_email
            )
            change = Publication.What.PUBLISHED
            live_versions.switch_live_version(version, change, by=by, reason=version.reason)


def _discard_other_attempts(version: Version, stored: str) -> None:
    parent, _, _ = stored.rpartition("/")
    for name in default_storage.listdir(parent)[0]:
        if name.startswith(f"{version.number}-") and f"{parent}/{name}" != stored:
            storage.discard_folder(f"{parent}/{name}")


def _progress_of(lease: Lease) -> Progress:
    """Return a function that reports the progress as rows of the job."""

    def report(share: float) -> None:
        lease.rows_done = round(lease.rows_total * share)

    return report
