"""Manifests: without one there is no backup, and only a key of the service can sign one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import Storage

from config.backups import manifests
from config.backups.manifests import BackupPart, FileEntry, Manifest
from config.backups.targets import Damaged
from config.management.backup_targets import open_target
from filing.audit import keys

pytestmark = pytest.mark.django_db
FIRST, SECOND, KILLED = (f"2026112{day}T100000.123456Z" for day in (3, 4, 5))


@pytest.fixture(autouse=True)
def signing_key(settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.RECEIPT_KEY_DIR = tmp_path / "receipt-keys"
    return


@pytest.fixture
def folder(tmp_path: Path) -> Storage:
    return open_target(str(tmp_path / "backups"))


def made(target: Storage, backup: str = FIRST, **values: Any) -> Manifest:
    """Write the manifest of a backup."""
    key = keys.require_signing_key()
    manifest = Manifest(
        id=backup,
        product_version="1.0.0",
        began_at="2026-11-23T10:00:00+00:00",
        ended_at="2026-11-23T10:00:09+00:00",
        database_kind="sqlite",
        migrations=["filing.0001_initial"],
        database=BackupPart(4, "a" * 64),
        files=BackupPart(5, "b" * 64),
        file_count=2,
        file_bytes=53,
        sent_bytes=53,
        rows={"filing.Signature": 1},
        kid=key.kid,
        x=key.x,
        **values,
    )
    manifests.write_manifest(target, manifest, key)
    return manifest


@pytest.mark.parametrize("backup", ["../../etc", "", "20261123", f"../backups/{FIRST}"])
def test_an_id_of_another_form_is_no_backup(folder: Storage, backup: str) -> None:
    made(folder)
    with pytest.raises(Damaged, match="There is no backup"):
        manifests.read_manifest(folder, backup)


def test_a_manifest_that_was_changed_or_moved_or_is_not_signed_is_refused(
    folder: Storage, tmp_path: Path
) -> None:
    made(folder)
    own, moved = (tmp_path / "backups" / "backups" / backup for backup in (FIRST, SECOND))
    content = json.loads((own / "manifest.json").read_text())
    moved.mkdir()
    (moved / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(Damaged, match=f"backup {SECOND} is that of backup {FIRST}"):
        manifests.read_signed_manifest(folder, SECOND)
    changed = content["database"] | {"sha256": "c" * 64}
    (own / "manifest.json").write_text(json.dumps(content | {"database": changed}, indent=1))
    changed_there = rf"backups/{FIRST}/manifest\.json in .*backups was changed: the signature"
    with pytest.raises(Damaged, match=changed_there):
        manifests.read_signed_manifest(folder, FIRST)
    (own / "manifest.sig").unlink()
    with pytest.raises(Damaged, match=changed_there):
        manifests.read_signed_manifest(folder, FIRST)
    for text in ("{", "[]", '{"form": 2}', '{"form": 2, "database": 1}'):
        (own / "manifest.json").write_text(text)
        with pytest.raises(Damaged, match="cannot be read"):
            manifests.read_signed_manifest(folder, FIRST)


def test_a_backup_of_an_earlier_form_is_refused_and_says_what_to_do(
    folder: Storage, tmp_path: Path
) -> None:
    backup = "20261123T100000Z"
    earlier = {"form": 1, "id": backup, "key": "0123456789abcdef", "code": "a" * 64}
    folder.save(f"backups/{backup}/manifest.json", ContentFile(json.dumps(earlier).encode()))
    with pytest.raises(Damaged, match=r"has the form 1, .* Restore it with the version that made"):
        manifests.read_signed_manifest(folder, backup)
    assert [*manifests.read_finished_manifests(folder)] == []


def test_a_key_that_is_not_known_here_has_to_be_trusted_by_name(
    folder: Storage, settings: Any, tmp_path: Path
) -> None:
    manifest = made(folder)
    settings.RECEIPT_KEY_DIR = tmp_path / "another-machine"
    for trusted in ("", keys.require_signing_key().kid):
        with pytest.raises(Damaged, match=f"signed with the key {manifest.kid}, .* add --trust"):
            manifests.read_signed_manifest(folder, FIRST, trusted=trusted)
    assert manifests.read_signed_manifest(folder, FIRST, trusted=manifest.kid) == manifest
    # Whoever replaces the key, but keeps the name of the trusted one, is found out.
    path = tmp_path / "backups" / "backups" / FIRST / "manifest.json"
    content = json.loads(path.read_text()) | {"x": keys.require_signing_key().x}
    forged = json.dumps(content, indent=1).encode()
    path.write_bytes(forged)
    path.with_name("manifest.sig").write_bytes(keys.require_signing_key().private.sign(forged))
    with pytest.raises(Damaged, match="which this service does not know"):
        manifests.read_signed_manifest(folder, FIRST, trusted=manifest.kid)


def test_a_list_of_files_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    entries = [
        FileEntry("storage", "submissions/é/raw.txt", 3, "a" * 64),
        FileEntry("data", "secret-key", 50, "b" * 64),
    ]
    lines = tmp_path / "files"
    lines.write_bytes(b"".join(entry.line for entry in entries))
    assert [*manifests.read_entries(lines)] == entries
    for path in ("../../outside", "/etc/passwd", "a/../../b"):
        lines.write_bytes(FileEntry("storage", path, 3, "a" * 64).line)
        with pytest.raises(Damaged, match="leads elsewhere"):
            next(manifests.read_entries(lines))
