"""A file is sent although it is removed: what the answer holds open has no name."""

from __future__ import annotations

from pathlib import Path

import pytest

from publicapi.lar_tool import answers

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]  # closing an answer ends a request


def test_a_file_is_sent_after_it_was_removed(tmp_path: Path) -> None:
    path = tmp_path / "lar"
    path.write_bytes(b"1|Bank\n" * 300_000)
    answer = answers.unlinked("lar.txt", path, "text/plain")
    path.unlink()
    assert answer["Content-Disposition"] == 'attachment; filename="lar.txt"'
    assert answer.getvalue() == b"1|Bank\n" * 300_000  # type: ignore[attr-defined]
    answer.close()
