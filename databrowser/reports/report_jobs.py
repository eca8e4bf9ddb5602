"""Reports of versions: a job counts their cells once, and the version keeps them for good.

A job is requested when a vintage is published, by the daily sweep, or when somebody first asks for
a report of it. While those of a new version are being counted, those of the version before stay.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

import polars as pl
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from databrowser.charts import atlas
from databrowser.models import Dataset, LiveVersion, Version, VersionReports
from databrowser.publication.builds import sources
from databrowser.publication.layout import TYPED
from databrowser.publication.versions import live_versions
from databrowser.reports import cells, places
from databrowser.reports.cells import CellNames, MsaMdNames
from databrowser.reports.definitions import OUTSIDE_MSA_MD_NAME
from filing import storage
from filing.errors import Hopeless
from filing.files.local_files import hash_file
from filing.jobs import queue
from filing.models import Job
from filing.reference.census import OUTSIDE_MSA_MD
from filing.reference.kinds import CENSUS
from filing.reference_data import registry
from filing.registries import Lease

log = logging.getLogger(__name__)

KIND = "reports"
RETRIED_AFTER = timedelta(hours=1)
_PREFIX = "reports-"
_SHEETS = "sheets.parquet"


def request_when_published(year: int, **more: object) -> None:
    """Request the reports of the published vintages of a year."""
    request_missing_reports(year)


def request_missing_reports(*years: int) -> int:
    """Request the reports of published vintages that have none; return of how many versions.

    years: all if left out. A job that failed is tried again after an hour.
    """
    live = LiveVersion.objects.exclude(dataset=Dataset.DYNAMIC)
    if years:
        live = live.filter(year__in=years)
    until = timezone.now() - RETRIED_AFTER
    failed = Q(
        version__reports__job__state=Job.State.FAILED,
        version__reports__job__finished_at__lt=until,
        version__reports__made_at=None,
    )
    wanted = live.filter(Q(version__reports=None) | failed)
    return sum(_request(each.version) for each in wanted.select_related("version__reports__job"))


def _request(version: Version) -> bool:
    if reports := getattr(version, "reports", None):
        with transaction.atomic():
            return queue.requeue_job(reports.job, rows_total=version.rows)
    _, is_new = VersionReports.objects.get_or_create(
        version=version,
        defaults={"job": lambda: queue.add_job(KIND, rows_total=version.rows)},
    )
    return is_new


def find_reports(year: int, dataset: str = Dataset.SNAPSHOT) -> VersionReports | None:
    """Return the reports of a published vintage; None while they are counted the first time.

    While those of its published version are counted, they are those of the version before.
    """
    current = find_current_reports(dataset).filter(version__year=year).first()
    if current:
        return current
    public = {version.pk for version in live_versions.public_versions(year)}
    earlier = _list_counted(dataset).filter(version__in=public)
    return earlier.order_by("-version__number").first()


def find_current_reports(dataset: str = Dataset.SNAPSHOT) -> QuerySet[VersionReports]:
    """Return the reports of the published versions of a vintage that are counted."""
    return _list_counted(dataset).filter(version__live__isnull=False)


def _list_counted(dataset: str) -> QuerySet[VersionReports]:
    counted = VersionReports.objects.filter(version__dataset=dataset, made_at__isnull=False)
    return counted.select_related("version").defer("version__manifest")


def run_report_job(lease: Lease) -> None:
    """Count the cells of all reports of a version.

    Raises: Hopeless when its files were removed meanwhile.
    """
    reports = VersionReports.objects.select_related("version").get(job_id=lease.job_id)
    version = reports.version
    if version.state != Version.State.BUILT:
        raise Hopeless(f"The files of version {version.name} were removed.")
    lease.rows_total = version.rows
    loans = storage.open_local_copy(f"{version.folder}/{TYPED}")
    file = f"{version.folder}/{_PREFIX}{lease.attempt_id}.parquet"

    def report(share: float) -> None:
        lease.rows_done = round(version.rows * share)

    with storage.make_work_folder() as folder:
        counted, named = folder / "cells.parquet", folder / "named.parquet"
        cells.count_cells(loans, counted, folder, year=version.year, progress=report)
        cells.add_names(counted, named, _find_names(version, loans, counted))
        sha256 = hash_file(named)
        lease.require()
        storage.store_file(named, file)
    lease.rows_done = version.rows
    with transaction.atomic():
        lease.finish()
        VersionReports.objects.filter(pk=reports.pk).update(
            file=file, sha256=sha256, made_at=timezone.now()
        )
    _discard_other_attempts(version, file)
    log.info("The reports of version %s were counted", version.name)


def _discard_other_attempts(version: Version, stored: str) -> None:
    for name in default_storage.listdir(version.folder)[1]:
        file = f"{version.folder}/{name}"
        if name.startswith(_PREFIX) and file != stored:
            storage.remove_folder(file)


def _find_names(version: Version, loans: Path, counted: Path) -> CellNames:
    year = version.year
    counties = cells.read_counties(counted)
    states = {code: {atlas.state_of(county) for county in of} for code, of in counties.items()}
    for code, letters in _states_in_census(year).items():
        if code in states:
            states[code] |= letters
    names = {**registry.find_msa_md_names([year]), OUTSIDE_MSA_MD: OUTSIDE_MSA_MD_NAME}
    return CellNames(
        _name_institutions(version, loans),
        {
            code: MsaMdNames(code, names.get(code, ""), tuple(sorted(filter(None, of))))
            for code, of in states.items()
        },
        {
            county: (name, places.name_state(county))
            for county in sorted(set().union(*counties.values()))
            if (name := places.name_county(county))
        },
        {
            state: atlas.state_name(state)
            for state in sorted(set().union(*states.values()))
            if state
        },
    )


def _states_in_census(year: int) -> dict[str, set[str]]:
    """Return the states of each MSA/MD by the census of a year; none if it is not loaded."""
    file = registry.find_active_file(CENSUS, year)
    if file is None:
        return {}
    rows = registry.read_rows_of_file(file).select("msa_md", pl.col("county").str.head(2)).unique()
    found: dict[str, set[str]] = {}
    for msa_md, state in rows.iter_rows():
        found.setdefault(f"{msa_md:05}", set()).add(atlas.state_of(state))
    return found


def _name_institutions(version: Version, loans: Path) -> dict[str, str]:
    """Return the institutions of a version by LEI, with their names in the panel of the year.

    Those that are in no panel have the name on their transmittal sheet.
    """
    year = version.year
    leis = pl.scan_parquet(loans).select(pl.col("lei").cast(pl.String).unique())
    in_records = set(leis.collect(engine="streaming").to_series())
    sheets = pl.read_parquet(
        storage.open_local_copy(f"{version.folder}/{_SHEETS}"), columns=["lei", "respondent_name"]
    )
    panel = sources.institution_names(year, sources.find_imports(year))
    names = dict(sheets.iter_rows()) | dict(panel.filter(pl.col("name") != "").iter_rows())
    return {lei: names.get(lei) or lei for lei in sorted(in_records | {*sheets["lei"]})}
