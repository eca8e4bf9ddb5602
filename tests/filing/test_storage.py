"""What killed processes leave on the disk goes after a while; what is in use stays."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, default_storage
from django.utils import timezone

from filing import storage
from filing.models import PostponedRemoval
from tests.filing.discarded import remove_a_day_later

HOUR, DAY = 3600, 24 * 3600


@pytest.fixture
def incoming(settings: Any, tmp_path: Path) -> Path:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "incoming"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir()
    return settings.FILE_UPLOAD_TEMP_DIR


def aged(path: Path, seconds: float) -> Path:
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_work_and_uploads_that_nobody_goes_on_with_are_removed(incoming: Path) -> None:
    for name, hours in {"upload-old": 7, "upload-new": 5}.items():
        (incoming / name).write_bytes(b"x")
        aged(incoming / name, hours * HOUR)
    for name, hours in {"work-old": 7, "work-new": 5}.items():
        (incoming / name).mkdir()
        aged(incoming / name, hours * HOUR)
    assert storage.remove_stale_work(6 * HOUR, time.time()) == 2
    assert names(incoming) == {"upload-new", "work-new"}


def test_a_long_job_keeps_its_folder_while_it_writes(incoming: Path) -> None:
    with storage.make_work_folder() as made:
        (made / "part").mkdir()
        (made / "part" / "findings").write_bytes(b"x")
        aged(made / "part", 9 * HOUR)
        aged(made, 9 * HOUR)
        assert storage.remove_stale_work(6 * HOUR, time.time()) == 0
        aged(made / "part" / "findings", 9 * HOUR)
        assert storage.remove_stale_work(6 * HOUR, time.time()) == 1


def test_local_copies_are_removed_once_nobody_reads_them(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = InMemoryStorage()
    monkeypatch.setattr(storage, "default_storage", elsewhere)
    settings.LOCAL_COPIES = tmp_path / "copies"
    assert storage.remove_unused_copies() == 0  # nothing was ever copied
    for name in ("read", "unread"):
        elsewhere.save(f"submissions/{name}/raw.txt", ContentFile(b"x"))
        aged(storage.open_local_copy(f"submissions/{name}/raw.txt"), 8 * DAY)
        aged(settings.LOCAL_COPIES / "submissions" / name, 8 * DAY)
    assert storage.open_local_copy("submissions/read/raw.txt").read_bytes() == b"x"
    assert storage.remove_unused_copies() == 1
    assert names(settings.LOCAL_COPIES / "submissions" / "read") == {"raw.txt"}
    assert (
        storage.open_local_copy("submissions/unread/raw.txt").read_bytes() == b"x"
    )  # fetched again
    settings.LOCAL_COPY_DAYS = 30
    assert storage.remove_unused_copies(now=time.time() + 29 * DAY) == 0
    assert storage.remove_unused_copies(now=time.time() + 31 * DAY) == 2


@pytest.mark.django_db
def test_a_discarded_folder_stays_until_no_backup_can_need_it(
    incoming: Path, settings: Any
) -> None:
    settings.REMOVAL_HOURS = 5
    discarded, kept = (
        default_storage.save(f"of-tests/{name}/a", ContentFile(b"x")) for name in ("old", "kept")
    )
    assert storage.discard_folder("of-tests/old")
    assert not storage.discard_folder("of-tests/old")  # its time is that of the first
    assert storage.remove_discarded() == 0
    PostponedRemoval.objects.update(at=timezone.now() - timedelta(hours=4.9))
    assert storage.remove_discarded() == 0
    assert default_storage.exists(discarded)
    assert remove_a_day_later() == 1
    assert not default_storage.exists(discarded)
    assert default_storage.exists(kept)
    assert not PostponedRemoval.objects.exists()
    storage.discard_folder("of-tests/never-there")
    assert remove_a_day_later() == 1
