"""Targets of backups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import Storage

from config.management.backup_targets import open_target
from tests.buckets import a_bucket


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    """The address of a place in an empty bucket."""
    with a_bucket("backups", "/of/hmda") as address:
        yield address


@pytest.fixture(params=["folder", "bucket"])
def target(request: pytest.FixtureRequest, tmp_path: Path, settings: Any) -> Storage:
    """A folder, then a bucket."""
    if request.param == "folder":
        return open_target(str(tmp_path / "backups"))
    settings.BACKUP_URL = request.getfixturevalue("bucket")
    return open_target(settings.BACKUP_URL)
