"""Comparisons of versions: each is made by a job when it is first requested, and kept.

Both versions never change, so what was stored is the answer for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from io import BytesIO
from typing import Any

import polars as pl
from django.db import transaction
from django.utils import timezone
from django.utils.http import quote_etag

from databrowser.differences import comparison
from databrowser.differences.comparison import COUNTS, FIELDS
from databrowser.models import Version, VersionComparison
from databrowser.publication.builds import sources
from databrowser.publication.layout import LOANS
from databrowser.publication.versions import live_versions
from filing import storage
from filing.errors import BadInput, Hopeless, NotFound, Refusal
from filing.jobs import queue
from filing.models import Job
from filing.registries import Lease
from filing.requests import read_year

KIND = "differences"
MOST_WAITING = 10  # comparisons: anyone may request them, and there are many pairs
RETRIED_AFTER = timedelta(hours=1)


class TooManyComparisons(Refusal):
    """The refusal of a comparison while many others wait."""

    status = 503
    seconds = 60

    def __init__(self) -> None:
        super().__init__("Many versions are being compared. Try again in a minute.")


class ComparisonFailed(Refusal):
    """The refusal of a comparison whose job has failed."""

    status = 503
    seconds = int(RETRIED_AFTER.total_seconds())

    def __init__(self, before: str, after: str) -> None:
        super().__init__(
            f"Versions {before} and {after} could not be compared. Try again in an hour."
        )


@dataclass(frozen=True)
class Differences:
    """How two versions differ.

    institutions: as `comparison.compare_files` returns them, with a column `name`.
    """

    before: Version
    after: Version
    institutions: pl.DataFrame
    etag: str

    @property
    def totals(self) -> dict[str, int]:
        """How many records the versions have, and how many differ."""
        sums = self.institutions.select("added", "removed", "changed").sum().row(0, named=True)
        return {"before": self.before.rows, "after": self.after.rows, **sums}

    @property
    def moved_fields(self) -> list[dict[str, Any]]:
        """The fields that moved in most records first, with their numbers."""
        sums = _list_moved_fields(self.institutions.select(FIELDS).sum())
        return sums.select("name", "records").to_dicts()

    def list_institutions(self, rows: slice = slice(None)) -> list[dict[str, Any]]:
        """Return institutions with their counts, and the fields that moved. rows: some of them."""
        institutions = self.institutions[rows]
        moved = _list_moved_fields(institutions.select("lei", *FIELDS), "lei")
        moved = moved.group_by("lei").agg(movedFields=pl.struct("name", "records"))
        shown = institutions.select("lei", "name", *COUNTS)
        listed = shown.join(moved, on="lei", how="left", maintain_order="left")
        return listed.with_columns(pl.col("movedFields").fill_null([])).to_dicts()


def _list_moved_fields(counts: pl.DataFrame, *index: str) -> pl.DataFrame:
    """Return a row for each field that moved, those of most records first."""
    rows = counts.unpivot(FIELDS, index=index, variable_name="name", value_name="records")
    moved = rows.filter(pl.col("records") > 0)
    return moved.sort("records", descending=True, maintain_order=True)


def find_versions(year: str) -> list[Version]:
    """Return the versions of a year that may be compared, the newest first.

    Raises: NotFound when the year is not published.
    """
    versions = live_versions.public_versions(read_year(year))
    if not versions:
        raise NotFound(no_year(year[:10]))
    return versions


def choose_versions(versions: list[Version], before: str, after: str) -> tuple[Version, Version]:
    """Return the two of some versions with these names.

    Without a name, the later one is the published one, the earlier one that before it.

    Raises: NotFound for a version that is not among them; BadInput if they are not in order.
    """
    by_name = {version.name: version for version in versions}
    for name in (before, after):
        if name and name not in by_name:
            raise NotFound(no_version(name[:20]))
    live = live_versions.live_version(versions[0].year)
    later = by_name[after] if after else live.version if live else versions[0]
    earlier = [version for version in versions if version.number < later.number]
    if not before and not earlier:
        raise NotFound(none_before(later.name))
    first = by_name[before] if before else earlier[0]
    if first.number >= later.number:
        raise BadInput(not_in_order(first.name, later.name))
    return first, later


def no_year(year: str) -> str:
    """Return the message for a year that is not published."""
    return f"No data set of {year} is published."


def no_version(name: str) -> str:
    """Return the message for a version that is not public."""
    return f"Version {name} is not public, or its files were removed."


def none_before(name: str) -> str:
    """Return the message for a version that is the first one."""
    return f"No version before {name} is public."


def not_in_order(before: str, after: str) -> str:
    """Return the message for versions that are the same or in the wrong order."""
    return f"Version {before} is not earlier than {after}; enter the earlier one as `from`."


def find_differences(before: Version, after: Version) -> Differences | None:
    """Return how two versions differ; None until a job has compared them.

    The job is queued when they are first compared. A failed one is tried again after an hour.

    Raises: TooManyComparisons, ComparisonFailed.
    """
    compared = VersionComparison.objects.select_related("job")
    stored = compared.filter(before=before, after=after).first()
    if stored and stored.job.state == Job.State.DONE:
        content = bytes(stored.institutions)
        etag = quote_etag(blake2b(content, digest_size=12).hexdigest())
        return Differences(before, after, pl.read_ipc(BytesIO(content)), etag)
    rows = before.rows + after.rows
    if stored is None:
        if Job.objects.filter(stage=KIND, state__in=Job.UNFINISHED).count() >= MOST_WAITING:
            raise TooManyComparisons
        VersionComparison.objects.get_or_create(
            before=before,
            after=after,
            defaults={"job": lambda: queue.add_job(KIND, rows_total=rows)},
        )
    elif stored.job.state == Job.State.FAILED:
        if stored.job.finished_at and stored.job.finished_at > timezone.now() - RETRIED_AFTER:
            raise ComparisonFailed(before.name, after.name)
        with transaction.atomic():
            queue.requeue_job(stored.job, rows_total=rows)
    return None


def run_comparison(lease: Lease) -> None:
    """Compare the two versions of a job, and store the institutions whose records differ.

    Raises: Hopeless when the files of one were removed meanwhile.
    """
    stored = VersionComparison.objects.select_related("before", "after").get(job_id=lease.job_id)
    versions = (stored.before, stored.after)
    if any(version.state != Version.State.BUILT for version in versions):
        raise Hopeless("The files of a version were removed.")
    lease.rows_total = sum(version.rows for version in versions)

    def report(share: float) -> None:
        lease.rows_done = round(lease.rows_total * share)

    before, after = (storage.open_local_copy(f"{each.folder}/{LOANS}") for each in versions)
    with storage.make_work_folder() as folder:
        institutions = comparison.compare_files(before, after, folder, report)
    year = stored.before.year
    names = sources.institution_names(year, sources.find_imports(year))
    named = institutions.join(names, on="lei", how="left", maintain_order="left")
    written = BytesIO()
    named.with_columns(pl.col("name").fill_null("")).write_ipc(written, compression="zstd")
    with transaction.atomic():
        lease.finish()
        VersionComparison.objects.filter(pk=stored.pk).update(institutions=written.getvalue())
