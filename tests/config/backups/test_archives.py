"""Parts of backups: their hashes are checked, and files that are alike are stored once."""

from __future__ import annotations

import hashlib

import pytest

from config.backups.archives import Archive, Part, digest
from config.backups.sealing import Damaged
from config.backups.targets import Folder, Target

KEY = b"k" * 32
CONTENT = b"what was filed" * 1000


@pytest.mark.parametrize("key", [b"", KEY])
def test_a_part_comes_back_with_its_size_and_hash(target: Target, key: bytes) -> None:
    archive = Archive(target, key)
    part = archive.write("backups/1/database", [CONTENT, CONTENT])
    assert part == Part("backups/1/database", 28_000, hashlib.sha256(CONTENT * 2).hexdigest())
    assert b"".join(archive.read(part)) == CONTENT * 2
    stored = b"".join(target.read(part.name))
    assert (CONTENT in stored) is not key


@pytest.mark.parametrize("key", [b"", KEY])
def test_a_part_that_was_changed_or_is_gone_is_refused(tmp_path, key: bytes) -> None:
    archive = Archive(Folder(tmp_path), key)
    part = archive.write("a", [CONTENT])
    stored = bytearray((tmp_path / "a").read_bytes())
    stored[100] ^= 1
    (tmp_path / "a").write_bytes(stored)
    with pytest.raises(Damaged, match="a was changed"):
        b"".join(archive.read(part))
    (tmp_path / "a").unlink()
    with pytest.raises(Damaged, match="a is missing"):
        b"".join(archive.read(part))


@pytest.mark.parametrize("key", [b"", KEY])
def test_a_shared_file_is_named_by_its_content_and_not_sent_twice(tmp_path, key: bytes) -> None:
    archive = Archive(Folder(tmp_path), key)
    part = archive.shared(*digest([CONTENT]))
    assert not archive.has(part)
    archive.share(part, lambda: [CONTENT])
    assert archive.has(part)
    assert (part.sha256 in part.name) is not key
    assert b"".join(archive.read(part)) == CONTENT
    stored = tmp_path / part.name
    stored.write_bytes(stored.read_bytes()[:-1])
    assert not archive.has(part)  # it is sent again


def test_a_file_that_changes_while_it_is_copied_is_not_kept(tmp_path) -> None:
    archive = Archive(Folder(tmp_path), KEY)
    part = archive.shared(*digest([CONTENT]))
    with pytest.raises(Damaged, match="changed while"):
        archive.share(part, lambda: [b"something else"])
    assert not archive.has(part)
