"""Targets: a file is stored completely or not at all, and read with its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import Storage

from config.backups import targets
from config.backups.targets import Damaged
from config.management.backup_targets import open_target

CONTENT = b"what was filed" * 100_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Broken(ContentFile):  # type: ignore[type-arg]
    """A file that cannot be read to its end."""

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        yield b"x" * 100
        raise OSError("The source is gone.")


def test_a_file_that_was_changed_or_is_gone_is_named(target: Storage, tmp_path: Path) -> None:
    target.save("files/b", ContentFile(CONTENT[:-1]))
    for name, sentence in {"files/b": "files/b in .* was changed", "c": "c is missing in "}.items():
        with pytest.raises(Damaged, match=sentence):
            targets.verify_file(target, name, sha256=SHA256)
        with pytest.raises(Damaged, match=sentence):
            targets.fetch_file(target, name, sha256=SHA256, to=tmp_path / "copy")


def test_a_file_that_breaks_off_leaves_what_was_there(tmp_path: Path) -> None:
    folder = open_target(str(tmp_path / "backups"))
    folder.save("a", ContentFile(b"before"))
    for name in ("a", "b"):
        with pytest.raises(OSError, match="gone"):
            folder.save(name, Broken(b"x"))
    assert (tmp_path / "backups" / "a").read_bytes() == b"before"
    assert not folder.exists("b")


def test_only_the_owner_may_read_a_folder(tmp_path: Path) -> None:
    open_target(str(tmp_path / "backups")).save("a/one", ContentFile(b"1"))
    for path in (tmp_path / "backups").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
