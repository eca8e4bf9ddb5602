"""Targets of backups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.backups.targets import Bucket, Folder, Target
from config.management.backup_archives import target_at
from tests.buckets import a_bucket


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    """The address of a place in an empty bucket."""
    with a_bucket("backups", "/of/hmda") as address:
        yield address


@pytest.fixture(params=["folder", "bucket"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    """A folder, then a bucket."""
    if request.param == "folder":
        return Folder(tmp_path / "backups")
    return target_at(request.getfixturevalue("bucket"), Folder, Bucket)
