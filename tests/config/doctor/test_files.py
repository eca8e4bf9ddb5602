"""Storage, virus scanner and backups, and what may be wrong with them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from config import server_addresses
from config.backups import manifests
from config.backups.manifests import BackupPart, Manifest
from config.doctor import files
from config.management.backup_targets import open_target
from filing import scanning
from filing.audit import keys
from tests.buckets import a_bucket, a_server, address
from tests.config.doctor.messages import problems, texts
from tests.filing.scanning.scanners import SIGNATURE, Server, scanner

__all__ = ["scanner"]


def use(settings: Any, url: str) -> None:
    settings.STORAGE_URL = url
    settings.STORAGES = {**settings.STORAGES, "default": server_addresses.storage_settings(url)}


def test_a_probe_is_written_and_nothing_is_left(settings: Any, tmp_path: Path) -> None:
    use(settings, f"file://{tmp_path}/files")
    assert problems(files.check_storage) == []
    assert list((tmp_path / "files").iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_an_error(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    use(settings, f"file://{tmp_path}/file")
    assert problems(files.check_storage) == ["error storage.away"]


def test_a_bucket_is_written_to_and_a_missing_one_is_an_error(settings: Any) -> None:
    with a_bucket("filings") as bucket:
        use(settings, bucket)
        assert problems(files.check_storage) == []
        assert "written to the bucket filings" in texts(files.check_storage)
    with a_server() as server:
        use(settings, address(server, "nothing"))
        assert problems(files.check_storage) == ["error storage.away"]
        assert "NoSuchBucket" in texts(files.check_storage)


@pytest.mark.parametrize(
    ("hours", "faults", "ids"),
    [
        (5, [], []),
        (40, [], ["warning backup.late"]),
        (24 * 9, [], ["error backup.late"]),
        (5, ["files/x is missing"], ["error backup.missing"]),
    ],
)
def test_the_newest_backup_is_judged_by_its_age(
    settings: Any, tmp_path: Path, hours: int, faults: list[str], ids: list[str]
) -> None:
    settings.BACKUP_URL, settings.RECEIPT_KEY_DIR = f"file://{tmp_path}/backups", tmp_path / "keys"
    key = keys.require_signing_key()
    began = datetime.now(UTC) - timedelta(hours=hours)
    part = BackupPart(1, "0" * 64)
    manifest = Manifest(
        id=manifests.new_backup_id(began),
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
        problems=faults,
    )
    manifests.write_manifest(open_target(settings.BACKUP_URL), manifest, key)
    assert problems(files.check_backup) == ids


def test_a_target_without_any_backup_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_URL = f"file://{tmp_path}"
    assert problems(files.check_backup) == ["error backup.missing"]


def test_without_a_scanner_nothing_is_wrong(settings: Any) -> None:
    settings.SCAN_ADDRESS = None
    assert problems(files.check_scanner) == []
    assert "SCAN_URL is not set: uploads are not scanned" in texts(files.check_scanner)


def test_a_scanner_that_works(scanner: Server) -> None:
    assert problems(files.check_scanner) == []
    assert f"It finds the EICAR test file ({SIGNATURE})." in texts(files.check_scanner)
    assert "files of up to 2,147,483,645 bytes are scanned" in texts(files.check_scanner)


def test_a_scanner_that_finds_nothing(scanner: Server) -> None:
    scanner.answer = b"stream: OK\0"
    assert problems(files.check_scanner) == ["error scanner.blind"]


@pytest.mark.parametrize(
    ("version", "fault"),
    [
        (f"ClamAV 1.4.3/27800/{time.asctime(time.gmtime(0))}", "warning scanner.old"),
        ("ClamAV 1.4.3", "warning scanner.unknown_age"),
    ],
)
def test_old_signatures_are_a_warning(scanner: Server, version: str, fault: str) -> None:
    scanner.version = version
    assert problems(files.check_scanner) == [fault]
    assert texts(files.check_scanner).startswith("ClamAV 1.4.3 answers")


@pytest.mark.parametrize("trouble", [scanning.ScannerFault.AWAY, scanning.ScannerFault.CLOSED])
def test_a_scanner_that_is_away(scanner: Server, trouble: scanning.ScannerFault) -> None:
    if trouble is scanning.ScannerFault.AWAY:
        scanner.close()
    scanner.is_up = False
    assert problems(files.check_scanner) == ["error scanner.away"]
    assert trouble.value in texts(files.check_scanner)
