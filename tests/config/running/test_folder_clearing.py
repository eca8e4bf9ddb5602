"""Old work, copies and logs in the data folder of a machine go, each kind for itself."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from config.running import folder_clearing

DAY = 24 * 3600


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "incoming"
    settings.LOCAL_COPIES = tmp_path / "local-copies"
    settings.LOG_DAYS, settings.LOCAL_COPY_DAYS = 30, 7
    return tmp_path


def put(path: Path, days: int) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.touch()
    at = time.time() - days * DAY
    os.utime(path, (at, at))
    return path


def test_old_work_copies_and_logs_go_and_others_stay(folder: Path) -> None:
    old, new = (
        [
            put(folder / "incoming" / f"upload-{days}", days),
            put(folder / "local-copies" / f"raw-{days}.txt", days),
            put(folder / "log" / f"web.log.{days}", days),
        ]
        for days in (31, 0)
    )
    folder_clearing.clear()
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in new)


def test_a_kind_that_fails_holds_up_no_other(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    copy = put(folder / "local-copies" / "raw.txt", 31)
    folder_clearing.clear()  # without a folder of work
    assert "Could not remove uploads and work that were never finished" in caplog.messages
    assert not copy.exists()
