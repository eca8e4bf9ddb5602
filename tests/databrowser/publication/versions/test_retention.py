"""What is removed of versions, of builds and of imports, and what is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from databrowser.models import PublicImport, Version
from databrowser.publication import layout
from databrowser.publication.builds import builder
from databrowser.publication.imports import public_files
from databrowser.publication.versions import live_versions, retention
from filing import storage
from filing.access import Caller
from filing.errors import NotReady
from tests.databrowser.publication.public_files import published, sign
from tests.filing.discarded import remove_a_day_later

pytestmark = pytest.mark.django_db

A = "549300AAAAAAAAAAAA01"
OLGA = Caller(id="1", username="olga", email="olga@agency.example")
WHY = "The year is complete."


def built(*, goes_live: bool = True) -> Version:
    return builder.build_year(2023, by=OLGA, reason=WHY, goes_live=goes_live)


@pytest.fixture
def many_versions() -> Iterator[list[Version]]:
    """Six versions, built one after the other a day and more ago; the second was published."""
    made = []
    for number in range(1, 7):
        sign(A, {"income": str(number)})
        made.append(built(goes_live=number == 2))
    yesterday = timezone.now() - timedelta(days=1, hours=1)
    Version.objects.update(made_at=yesterday)
    return made


@pytest.mark.servers
def test_versions_that_were_never_published_are_removed(many_versions: list[Version]) -> None:
    first, second, third, *kept = many_versions
    live_versions.publish_version(kept[0], by=OLGA, reason=WHY)
    assert retention.sweep_versions() == 2
    left = set(Version.objects.filter(state="built").values_list("number", flat=True))
    assert left == {2, 4, 5, 6}
    remove_a_day_later()
    for version in (first, third):
        assert not storage.open_local_copy(version.folder).exists()
        with pytest.raises(NotReady, match="were removed; build the year again"):
            live_versions.publish_version(Version.objects.get(pk=version.pk), by=OLGA, reason=WHY)
    assert all(storage.open_local_copy(each.folder).exists() for each in (second, *kept))


def imported(file: Path) -> PublicImport:
    (made,) = public_files.import_public_file(
        published(file, {"lei": A, "income": file.stem}), by=OLGA
    ).imports
    return made


def age(folder: str) -> None:
    """Let a stored folder be as one that was written two days ago."""
    before = (timezone.now() - timedelta(days=2)).timestamp()
    os.utime(storage.open_local_copy(folder), (before, before))


def test_an_import_that_was_killed_is_removed_a_day_after_it_was_written(tmp_path: Path) -> None:
    kept, killed, running = (imported(tmp_path / f"{name}.csv") for name in "123")
    # The names say nothing of when: clocks differ, and folders are restored from backups.
    old, young = (
        f"{layout.IMPORTS}/2023/{name}" for name in (f"2999-{uuid4()}", f"2018-{uuid4()}")
    )
    for each, folder in ((killed, old), (running, young)):
        storage.open_local_copy(each.folder).rename(storage.open_local_copy(folder))
        each.delete()
    age(kept.folder)
    age(old)
    retention.sweep_versions()
    remove_a_day_later()
    assert storage.has_files(kept.folder)
    assert not storage.open_local_copy(old).exists()
    assert storage.has_files(young)


def test_imports_that_were_killed_are_removed_from_other_storage(
    tmp_path: Path, settings: Any, monkeypatch: Any
) -> None:
    memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    settings.STORAGES = {**settings.STORAGES, "default": memory}
    settings.LOCAL_COPIES = tmp_path / "copies"
    kept, killed = imported(tmp_path / "1.csv"), imported(tmp_path / "2.csv")
    killed.delete()
    retention.sweep_versions()
    assert default_storage.exists(f"{killed.folder}/loans.parquet")
    monkeypatch.setattr(retention, "ABANDONED_AFTER", timedelta(days=-1))
    retention.sweep_versions()
    remove_a_day_later()
    assert not default_storage.exists(f"{killed.folder}/loans.parquet")
    assert default_storage.exists(f"{kept.folder}/loans.parquet")
