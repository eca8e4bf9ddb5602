"""Old backups go with the files that no other needs; the newest complete one always stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.backups import manifests, pruning
from config.backups.archives import Archive, digest
from config.backups.manifests import FileEntry
from config.backups.sealing import Damaged
from config.backups.targets import Folder
from filing import removals
from tests.config.backups import test_manifests

pytestmark = pytest.mark.django_db
KEY = b"k" * 32


def backup(archive: Archive, day: int, *contents: bytes, problems: tuple[str, ...] = ()) -> str:
    """Make a backup of some files."""
    entries = []
    for content in contents:
        part = archive.shared(*digest([content]))
        archive.share(part, lambda content=content: [content])
        entries.append(FileEntry("storage", f"a/{content.decode()}", part.size, part.sha256))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(test_manifests, "ENTRIES", entries)
        made = test_manifests.made(archive, f"202611{day:02}T100000Z", problems=list(problems))
    return made.id


def stored(archive: Archive) -> set[bytes]:
    return {
        content
        for content in (b"one", b"two", b"three", b"four")
        if archive.has(archive.shared(*digest([content])))
    }


@pytest.mark.parametrize("key", [b"", KEY])
def test_files_that_a_kept_backup_needs_stay(tmp_path: Path, key: bytes) -> None:
    archive = Archive(Folder(tmp_path), key)
    backup(archive, 1, b"one", b"two")
    backup(archive, 2, b"two", b"three")
    archive.target.write(manifests.part_of("20261103T100000Z", "database"), [b"killed"])
    backup(archive, 4, b"three", b"four")
    removed, files = pruning.prune(archive, keep=2)
    assert (removed, files) == (["20261101T100000Z", "20261103T100000Z"], 1)
    assert stored(archive) == {b"two", b"three", b"four"}
    assert pruning.prune(archive, keep=2) == ([], 0)
    pruning.prune(archive, keep=1)
    assert manifests.ids(archive) == ["20261104T100000Z"]
    assert stored(archive) == {b"three", b"four"}


def test_an_incomplete_backup_does_not_count_and_stays_until_one_is_complete(
    tmp_path: Path,
) -> None:
    archive = Archive(Folder(tmp_path), b"")
    complete = backup(archive, 1, b"one")
    incomplete = backup(archive, 2, b"two", problems=("A file is missing.",))
    assert pruning.prune(archive, keep=1) == ([], 0)
    assert manifests.ids(archive) == [complete, incomplete]
    last = backup(archive, 3, b"three")
    pruning.prune(archive, keep=1)
    assert manifests.ids(archive) == [last]
    assert stored(archive) == {b"three"}


def test_nothing_goes_while_the_list_of_a_backup_that_stays_cannot_be_read(tmp_path: Path) -> None:
    backup(Archive(Folder(tmp_path), b""), 1, b"one")
    backup(Archive(Folder(tmp_path), b""), 2, b"two")
    archive = Archive(Folder(tmp_path), KEY)
    backup(archive, 3, b"three")
    with pytest.raises(Damaged, match="is not encrypted"):
        pruning.prune(archive, keep=2)
    assert len(manifests.ids(archive)) == 3


def test_nothing_goes_without_a_complete_backup_or_while_another_one_runs(tmp_path: Path) -> None:
    archive = Archive(Folder(tmp_path), b"")
    backup(archive, 1, b"one", problems=("A file is missing.",))
    assert pruning.prune(archive, keep=1) == ([], 0)
    with (
        removals.paused(),
        pytest.raises(removals.AlreadyPaused, match="Another backup is running"),
    ):
        pruning.prune(archive, keep=1)
