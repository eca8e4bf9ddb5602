"""Manifests: without one there is no backup, and with a key no one else can make one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from config.backups import manifests, sealing
from config.backups.archives import Archive
from config.backups.manifests import FileEntry, Manifest
from config.backups.sealing import Damaged
from config.backups.targets import Folder

KEY, OTHER = b"k" * 32, b"o" * 32
ENTRIES = [
    FileEntry("storage", "submissions/é/raw.txt", 3, "a" * 64),
    FileEntry("data", "secret-key", 50, "b" * 64),
]


def made(archive: Archive, backup: str = "20261123T100000Z", **values: Any) -> Manifest:
    """Write a backup of a database and two files, of which only the list is there."""
    manifest = Manifest(
        id=backup,
        product_version="1.0.0",
        began_at="2026-11-23T10:00:00+00:00",
        ended_at="2026-11-23T10:00:09+00:00",
        database_kind="sqlite",
        migrations=["filing.0001_initial"],
        database=archive.write(manifests.part_of(backup, "database"), [b"rows"]),
        files=archive.write(manifests.part_of(backup, "files"), (e.line for e in ENTRIES)),
        file_count=2,
        file_bytes=53,
        sent_bytes=53,
        rows={"filing.Signature": 1},
        key=sealing.key_name(archive.key),
        **values,
    )
    manifests.write(archive, manifest)
    return manifest


@pytest.mark.parametrize("key", [b"", KEY])
def test_a_manifest_and_its_list_of_files_come_back(tmp_path: Path, key: bytes) -> None:
    archive = Archive(Folder(tmp_path), key)
    first = made(archive)
    second = made(archive, "20261124T100000Z", problems=["A file is missing."])
    archive.target.write(manifests.part_of("20261125T100000Z", "database"), [b"killed"])
    assert [*manifests.finished(archive)] == [first, second]
    assert (first.is_complete, second.is_complete) == (True, False)
    assert manifests.ids(archive)[2:] == ["20261125T100000Z"]
    assert [*manifests.entries(archive, first)] == ENTRIES
    with pytest.raises(Damaged, match="no backup 20261125T100000Z, or it was never finished"):
        manifests.read(archive, "20261125T100000Z")
    manifests.remove(archive, first.id)
    assert [*manifests.finished(archive)] == [second]


@pytest.mark.parametrize(
    ("own", "used", "message"),
    [
        (KEY, b"", "is encrypted. Set BACKUP_KEY or BACKUP_KEY_FILE"),
        (KEY, OTHER, "was encrypted with the key"),
        (b"", KEY, "is not encrypted; unset BACKUP_KEY"),
    ],
)
def test_without_the_right_key_it_says_so_and_can_still_be_listed(
    tmp_path: Path, own: bytes, used: bytes, message: str
) -> None:
    manifest = made(Archive(Folder(tmp_path), own))
    archive = Archive(Folder(tmp_path), used)
    with pytest.raises(Damaged, match=message):
        manifests.read(archive, manifest.id)
    assert [*manifests.finished(archive, check=False)] == [manifest]


def test_a_manifest_that_was_changed_or_moved_is_refused(tmp_path: Path) -> None:
    archive = Archive(Folder(tmp_path), KEY)
    manifest = made(archive)
    file = tmp_path / "backups" / manifest.id / "manifest.json"
    content = json.loads(file.read_text())
    moved = tmp_path / "backups" / "20261124T100000Z"
    moved.mkdir()
    (moved / "manifest.json").write_text(file.read_text())
    file.write_text(json.dumps(content | {"product_version": "0.9.0"}))
    for backup in (manifest.id, moved.name):
        with pytest.raises(Damaged, match=f"{backup} was changed"):
            manifests.read(archive, backup)
    file.write_text(json.dumps(content | {"form": 2}))
    with pytest.raises(Damaged, match="has the form 2; this version reads 1"):
        manifests.read(archive, manifest.id)
    file.write_text("{")
    with pytest.raises(Damaged, match="cannot be read"):
        manifests.read(archive, manifest.id)
