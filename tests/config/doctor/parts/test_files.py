"""Storage and backups: a folder, a bucket, and what may be wrong with them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from config import server_addresses
from config.backups import manifests
from config.backups.manifests import Manifest, Part
from config.doctor.parts import files
from config.management.backup_targets import open_target
from filing.receipts import keys
from tests.buckets import a_bucket, a_server, address
from tests.config.doctor.parts.looking import bad, texts


def use(settings: Any, url: str) -> None:
    settings.STORAGE_URL = url
    settings.STORAGES = {**settings.STORAGES, "default": server_addresses.storage(url)}


def test_a_probe_is_written_and_nothing_is_left(settings: Any, tmp_path: Path) -> None:
    use(settings, f"file://{tmp_path}/files")
    assert bad(files.storage) == []
    assert list((tmp_path / "files").iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_an_error(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    use(settings, f"file://{tmp_path}/file")
    (line,) = bad(files.storage)
    assert line.startswith("error: A file cannot be written, read and deleted:")


def test_a_bucket_is_written_to_and_a_missing_one_is_an_error(settings: Any) -> None:
    with a_bucket("filings") as bucket:
        use(settings, bucket)
        assert bad(files.storage) == []
        assert "written to the bucket filings" in texts(files.storage)
    with a_server() as server:
        use(settings, address(server, "nothing"))
        (line,) = bad(files.storage)
        assert "NoSuchBucket" in line


@pytest.mark.parametrize(
    ("hours", "problems", "words"),
    [
        (5, [], ""),
        (40, [], "warning: The newest complete backup"),
        (24 * 9, [], "error: The newest complete backup"),
        (5, ["files/x is missing"], "error: There is no complete backup."),
    ],
)
def test_the_newest_backup_is_judged_by_its_age(
    settings: Any, tmp_path: Path, hours: int, problems: list[str], words: str
) -> None:
    settings.BACKUP_URL, settings.RECEIPT_KEY_DIR = f"file://{tmp_path}/backups", tmp_path / "keys"
    key = keys.signing()
    began = datetime.now(UTC) - timedelta(hours=hours)
    part = Part(1, "0" * 64)
    manifest = Manifest(
        id=manifests.new_id(began),
        product_version="1.0.0",
        began_at=began.isoformat(),
        ended_at=began.isoformat(),
        database_kind="sqlite",
        migrations=[],
        database=part,
        files=part,
        file_count=0,
        file_bytes=0,
        sent_bytes=0,
        rows={},
        kid=key.kid,
        x=key.x,
        problems=problems,
    )
    manifests.write_manifest(open_target(settings.BACKUP_URL), manifest, key)
    assert "".join(bad(files.backup)).startswith(words)
    assert bool(bad(files.backup)) == bool(words)


def test_a_target_without_any_backup_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_URL = f"file://{tmp_path}"
    assert "There is no complete backup." in "".join(bad(files.backup))
