"""Retention of data set versions: removes those that were not published, and killed builds.

A version that was ever published is never removed: its permanent address answers for good.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.core.files.storage import FileSystemStorage, default_storage
from django.db import transaction
from django.utils import timezone

from databrowser.models import PublicImport, Version
from databrowser.publication.layout import IMPORTS, VERSIONS
from filing import storage
from filing.models import Job

log = logging.getLogger(__name__)

KEPT_VERSIONS = 3
KEPT_FOR = timedelta(days=1)
ABANDONED_AFTER = timedelta(days=1)


def sweep_versions() -> int:
    """Remove versions that were never published, and killed builds; return how many versions.

    The newest three versions of each data set are kept, and those of the last day.
    """
    removed = 0
    for data_set in Version.objects.order_by().values("year", "dataset").distinct():
        built = Version.objects.filter(**data_set, state=Version.State.BUILT).order_by("-number")
        newest = set(built.values_list("pk", flat=True)[:KEPT_VERSIONS])
        for version in built.filter(publications=None).exclude(pk__in=newest):
            removed += _remove(version)
    _discard_unknown()
    return removed


def _remove(version: Version) -> bool:
    with transaction.atomic():
        locked = Version.objects.select_for_update().get(pk=version.pk)
        if locked.state != Version.State.BUILT or _is_kept(locked):
            return False
        Version.objects.filter(pk=locked.pk).update(state=Version.State.REMOVED)
    storage.discard_folder(version.folder)
    log.info("The files of version %s were removed", version.name)
    return True


def _is_kept(version: Version) -> bool:
    """Tell whether a version was ever published, or built less than a day ago."""
    recently = timezone.now() - KEPT_FOR
    is_recent = version.made_at is None or version.made_at > recently
    return is_recent or version.publications.exists()


def _discard_unknown() -> None:
    """Delete folders that no table refers to, those of killed builds and imports."""
    built = set(Version.objects.filter(state=Version.State.BUILT).values_list("folder", flat=True))
    unfinished = Version.objects.filter(state=Version.State.ASKED, job__state__in=Job.UNFINISHED)
    building = set(unfinished.values_list("year", "number"))
    for year, folder in _folders(VERSIONS):
        number = folder.rpartition("/")[2].partition("-")[0]
        if folder not in built and (int(year), int(number)) not in building:
            storage.discard_folder(folder)
    imported = set(PublicImport.objects.values_list("folder", flat=True))
    for _, folder in _folders(IMPORTS):
        if folder not in imported and _is_abandoned(folder):
            storage.discard_folder(folder)


def _is_abandoned(folder: str) -> bool:
    """Tell whether nothing was written into the folder of an import for a day.

    The storage decides, never the name of the folder.
    """
    until = timezone.now() - ABANDONED_AFTER
    try:
        if isinstance(default_storage, FileSystemStorage):
            paths = [folder]  # its time is that at which a file was last moved into it
        else:
            paths = [f"{folder}/{name}" for name in default_storage.listdir(folder)[1]]
        return all(default_storage.get_modified_time(name) < until for name in paths)
    except FileNotFoundError:
        return False  # its writer has just removed it


def _folders(top: str) -> list[tuple[str, str]]:
    """Return the year and name of each folder two levels below another one."""
    folders = []
    for year in _subfolders(top):
        folders += [(year, f"{top}/{year}/{name}") for name in _subfolders(f"{top}/{year}")]
    return folders


def _subfolders(folder: str) -> list[str]:
    try:
        return default_storage.listdir(folder)[0]
    except FileNotFoundError:
        return []
