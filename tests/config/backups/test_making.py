"""Backups as the commands make them: what is in them, and what keeps one from being complete."""

from __future__ import annotations

import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from config.backups import making, manifests, restoring
from config.backups.archives import Archive
from config.backups.restoring import Refused
from config.backups.targets import Folder
from filing import removals, storage
from filing.access import Caller
from filing.files import digests
from filing.jobs import loop
from filing.models import PostponedRemoval, RemovalPause, Submission, TrailEntry
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db(transaction=True)
KEY = b"k" * 32


@pytest.fixture
def checked(submission: Submission, filer: Caller, tmp_path: Path) -> Submission:
    """A submission that was checked, with its files; its hash is that of its file."""
    loop.run_job(upload(submission, register(), filer, tmp_path).pk)
    submission.refresh_from_db()
    submission.sha256 = digests.sha256(storage.local(submission.raw_file))
    submission.save()
    return submission


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(Folder(tmp_path / "backups"), KEY)


def paths(archive: Archive, manifest: manifests.Manifest) -> list[str]:
    return [entry.path for entry in manifests.entries(archive, manifest)]


def test_a_backup_has_the_files_of_the_rows_and_the_next_one_sends_only_what_is_new(
    checked: Submission, archive: Archive
) -> None:
    first = making.make(archive)
    assert first.is_complete
    assert checked.raw_file in paths(archive, first)
    assert first.rows["filing.Submission"] == 1
    assert first.file_count == len(paths(archive, first))
    second = making.make(archive)
    assert second.id > first.id
    assert second.sent_bytes == second.database.size + second.files.size
    again = making.make(archive, again=True)
    assert again.sent_bytes == again.database.size + again.files.size + again.file_bytes
    for manifest in (first, again):
        assert restoring.check(archive, manifest.id) == (manifest, [])
    assert not RemovalPause.objects.exists()
    about = TrailEntry.objects.filter(happening="backup made").order_by("pk")
    assert [entry.about for entry in about] == [first.id, second.id, again.id]


def test_a_file_that_is_gone_or_differs_makes_the_backup_incomplete(
    checked: Submission, archive: Archive
) -> None:
    raw = Path(default_storage.path(checked.raw_file))
    raw.write_bytes(raw.read_bytes() + b"x")
    shutil.rmtree(default_storage.path(checked.parse_folder))
    manifest = making.make(archive)
    differs, missing = manifest.problems
    assert f"submission {checked}: {checked.raw_file} differs from what was recorded" in differs
    assert missing == f"submission {checked}: {checked.parse_folder} is not in storage."
    raw.unlink()
    manifest = making.make(archive)
    assert manifest.problems[0] == f"submission {checked}: {checked.raw_file} is not in storage."
    with pytest.raises(Refused, match="is incomplete"):
        restoring.restore(archive, manifest.id)


def test_folders_that_lose_their_row_while_a_backup_runs_go_afterward(
    checked: Submission, archive: Archive
) -> None:
    before, base = checked.edits_folder, storage.folder(checked)
    default_storage.save(f"{base}/edits-9-x/findings", ContentFile(b"x"))
    with removals.paused():
        storage.discard_other_attempts(checked, "edits", current=f"{base}/edits-9-x")
        assert storage.has_files(before)
        assert [each.folder for each in PostponedRemoval.objects.all()] == [before]
        assert storage.discard_postponed() == 0
    assert storage.discard_postponed() == 1
    assert not storage.has_files(before)
    assert not PostponedRemoval.objects.exists()


def test_the_commands_say_what_they_did(checked: Submission, settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_KEY = KEY
    target = str(tmp_path / "of-commands")
    assert f"No backups in {target}." in run("backup", "--to", target, "--list")
    assert "bytes were written to" in run("backup", "--to", target, "--keep", "3")
    listed = run("backup", "--to", target, "--list")
    assert " complete  version " in listed
    assert "not encrypted" not in listed
    assert "have the sizes and hashes" in run("restore", "--from", target, "--check")
    with pytest.raises(CommandError, match="The database already has data"):
        run("restore", "--from", target)
    # Two files may have the same content, and so the same object.
    next(Path(target, "objects").rglob("??/*")).unlink()
    with pytest.raises(CommandError, match=r"has problems: [12], listed above\."):
        run("restore", "--from", target, "--check")
    Path(default_storage.path(checked.raw_file)).unlink()
    with pytest.raises(CommandError, match=r"is incomplete\. Problems: 1,"):
        run("backup", "--to", target, "--keep", "1")
    assert "INCOMPLETE (1)" in run("backup", "--to", target, "--list")
    settings.BACKUP_KEY = b""
    with pytest.raises(CommandError, match=r"is encrypted\. Set BACKUP_KEY"):
        run("restore", "--from", target, "--check")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["backup"], "Set BACKUP_URL"),
        (["backup", "--to", "relative"], "enter /folder, file:///folder or s3://"),
        (["backup", "--to", "ftp://host/a"], "enter /folder, file:///folder or s3://"),
        (["backup", "--to", "s3://host"], "enter /folder, file:///folder or s3://"),
        (["backup", "--to", "s3://key:secret@host/b"], "into BACKUP_URL, not into a command"),
        (["backup", "--to", "/dev/null/x"], "A file or the target cannot be used"),
        (["backup", "--to", "/tmp", "--keep", "0"], "--keep must be 1 or more"),
        (["restore", "--from", "/nowhere/at/all"], "There is no complete backup"),
        (["restore", "20200101T000000Z", "--from", "/nowhere"], "There is no backup 2020"),
    ],
)
def test_a_command_that_cannot_be_done_says_why(words: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(*words)


def test_a_backup_of_a_later_version_or_another_database_is_refused(
    archive: Archive, settings: Any
) -> None:
    backup = making.make(archive).id
    settings.VERSION = "0.9.9"
    with pytest.raises(Refused, match=r"newer than this one, 0\.9\.9"):
        restoring.restore(archive, backup)


def test_a_backup_with_a_migration_that_is_not_known_is_refused(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making.schema, "applied", lambda alias: ["filing.0999_later"])
    backup = making.make(archive).id
    with pytest.raises(Refused, match=r"does not know: filing\.0999_later"):
        restoring.restore(archive, backup)


def test_a_backup_of_before_the_first_release_is_refused(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making.schema, "applied", lambda alias: ["filing.0002_people_and_trail"])
    backup = making.make(archive).id
    with pytest.raises(Refused, match=r"was made before release 1\.0\.0"):
        restoring.restore(archive, backup)


def run(*words: str) -> str:
    """Run a command and return what it says."""
    output = StringIO()
    call_command(*words, stdout=output, stderr=StringIO())
    return output.getvalue()
