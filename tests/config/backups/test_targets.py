"""Targets: a stream is stored completely or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.backups.targets import Folder, Target


def broken() -> Iterator[bytes]:
    yield b"x" * 100
    raise OSError("The source is gone.")


def test_what_is_written_is_read_listed_and_deleted(target: Target) -> None:
    large = [bytes([number]) * 1_000_003 for number in range(3)]
    target.write("a/one", [b"1", b"", b"23"])
    target.write("a/b/two", large)
    target.write("c/three", [])
    assert b"".join(target.read("a/one")) == b"123"
    assert b"".join(target.read("a/b/two")) == b"".join(large)
    assert b"".join(target.read("c/three")) == b""
    assert (target.size("a/one"), target.size("a/b/two"), target.size("d")) == (3, 3_000_009, None)
    assert sorted(target.names("a")) == ["a/b/two", "a/one"]
    target.write("a/one", [b"new"])
    assert b"".join(target.read("a/one")) == b"new"
    for name in ("a/one", "a/b/two", "c/three", "never/written"):
        target.delete(name)
    assert [*target.names("a"), *target.names("c")] == []
    with pytest.raises(FileNotFoundError):
        next(target.read("a/one"))


def test_a_stream_that_breaks_off_leaves_what_was_there(target: Target) -> None:
    target.write("a", [b"before"])
    with pytest.raises(OSError, match="gone"):
        target.write("a", broken())
    with pytest.raises(OSError, match="gone"):
        target.write("b", broken())
    assert b"".join(target.read("a")) == b"before"
    assert target.size("b") is None
    target.delete("a")


def test_only_the_owner_may_read_a_folder_and_what_a_killed_process_left_goes(
    tmp_path: Path,
) -> None:
    folder = Folder(tmp_path / "backups")
    folder.write("a/one", [b"1"])
    assert (folder.root / "a" / "one").stat().st_mode & 0o077 == 0
    for name, age in {"new": 3600, "old": 25 * 3600}.items():
        left = folder.root / "a" / f".partial-{name}"
        left.write_bytes(b"x")
        os.utime(left, (time.time() - age,) * 2)
    assert [*folder.names("a")] == ["a/one"]
    assert {path.name for path in (folder.root / "a").iterdir()} == {"one", ".partial-new"}
