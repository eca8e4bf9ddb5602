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
from config.backups.restoring import RestoreRefused
from config.backups.targets import BackupFolder
from filing import storage
from filing.access import Caller
from filing.audit import keys
from filing.files import local_files
from filing.jobs import loop
from filing.models import Submission, TrailEntry
from tests.filing.discarded import remove_a_day_later
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def checked(submission: Submission, filer: Caller, tmp_path: Path) -> Submission:
    """A submission that was checked, with its files; its hash is that of its file."""
    loop.run_job(upload(submission, register(), filer, tmp_path).pk)
    submission.refresh_from_db()
    submission.sha256 = local_files.hash_file(storage.open_local_copy(submission.raw_file))
    submission.save()
    return submission


@pytest.fixture
def target(tmp_path: Path) -> BackupFolder:
    return BackupFolder(str(tmp_path / "backups"))


def paths(target: BackupFolder, manifest: manifests.Manifest) -> list[str]:
    lines = Path(target.location, manifests.name_part(manifest.id, "files"))
    return [entry.path for entry in manifests.read_entries(lines)]


@pytest.mark.servers
def test_a_backup_has_the_files_of_the_rows_and_the_next_one_sends_only_what_is_new(
    checked: Submission, target: BackupFolder
) -> None:
    first = making.make_backup(target)
    assert first.is_complete
    assert checked.raw_file in paths(target, first)
    assert first.rows["filing.Submission"] == 1
    assert first.file_count == len(paths(target, first))
    second = making.make_backup(target)
    assert second.id > first.id
    assert second.sent_bytes == second.database.size + second.files.size
    again = making.make_backup(target, again=True)
    assert again.sent_bytes == again.database.size + again.files.size + again.file_bytes
    for manifest in (first, again):
        assert restoring.check_backup(target, manifest.id) == (manifest, [])
    about = TrailEntry.objects.filter(event="backup made").order_by("pk")
    assert [entry.about for entry in about] == [first.id, second.id, again.id]


def test_a_file_that_is_gone_or_differs_makes_the_backup_incomplete(
    checked: Submission, target: BackupFolder
) -> None:
    raw = Path(default_storage.path(checked.raw_file))
    raw.write_bytes(raw.read_bytes() + b"x")
    shutil.rmtree(default_storage.path(checked.parse_folder))
    manifest = making.make_backup(target)
    differs, missing = manifest.problems
    assert f"submission {checked}: {checked.raw_file} differs from what was recorded" in differs
    assert missing == f"submission {checked}: {checked.parse_folder} is not in storage."
    raw.unlink()
    manifest = making.make_backup(target)
    assert manifest.problems[0] == f"submission {checked}: {checked.raw_file} is not in storage."
    with pytest.raises(RestoreRefused, match="is incomplete"):
        restoring.restore_backup(target, manifest.id)


def test_a_folder_that_loses_its_row_while_a_backup_runs_is_in_the_backup(
    checked: Submission, target: BackupFolder
) -> None:
    before, base = checked.edits_folder, storage.name_folder(checked)

    def replace_edits(line: str) -> None:
        """Run the edits again, once the snapshot was taken."""
        if line.endswith("files"):
            default_storage.save(f"{base}/edits-9-x/findings", ContentFile(b"x"))
            Submission.objects.filter(pk=checked.pk).update(edits_folder=f"{base}/edits-9-x")
            storage.discard_other_attempts(checked, "edits", current=f"{base}/edits-9-x")
            assert storage.remove_discarded() == 0

    manifest = making.make_backup(target, report=replace_edits)
    assert manifest.is_complete
    assert f"{before}/findings" in paths(target, manifest)
    assert not [path for path in paths(target, manifest) if "edits-9-x" in path]
    assert storage.has_files(before)
    remove_a_day_later()
    assert not storage.has_files(before)


def test_the_commands_say_what_they_did(checked: Submission, tmp_path: Path) -> None:
    target = str(tmp_path / "of-commands")
    assert f"No backups in {target}." in run("backup", "--to", target, "--list")
    assert "bytes were written to" in run("backup", "--to", target)
    listed = run("backup", "--to", target, "--list")
    assert " complete  version " in listed
    assert f"signed with {keys.require_signing_key().kid}" in listed
    assert "have the sizes and hashes" in run("restore", "--from", target, "--check")
    with pytest.raises(CommandError, match="is restored into an empty one"):
        run("restore", "--from", target)
    # Two files may have the same content, and so the same object.
    next(Path(target, "files").rglob("??/*")).unlink()
    with pytest.raises(CommandError, match=r"has problems: [12], listed above\."):
        run("restore", "--from", target, "--check")
    Path(default_storage.path(checked.raw_file)).unlink()
    with pytest.raises(CommandError, match=r"is incomplete\. Problems: 1,"):
        run("backup", "--to", target)
    assert "INCOMPLETE (1)" in run("backup", "--to", target, "--list")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["backup"], "Set BACKUP_URL"),
        (["backup", "--to", "relative"], "enter /folder, file:///folder or s3://"),
        (["backup", "--to", "s3://host"], "enter /folder, file:///folder or s3://"),
        (["backup", "--to", "s3://key:secret@host/b"], "into BACKUP_URL, not into a command"),
        (["backup", "--to", "/dev/null/x"], "A file or the target cannot be used"),
        (["backup", "--to", "/tmp", "--keep", "30"], "There is no --keep any more"),
        (["restore", "--from", "/tmp", "--replace"], "There is no --replace any more"),
        (["restore", "--from", "/nowhere/at/all"], "There is no complete backup"),
        (["restore", "20200101T000000Z", "--from", "/nowhere"], "There is no backup 2020"),
    ],
)
def test_a_command_that_cannot_be_done_says_why(words: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(*words)


def test_a_key_for_encryption_is_refused_and_says_what_encrypts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BACKUP_KEY", "ab" * 32)
    with pytest.raises(CommandError, match="BACKUP_KEY encrypts nothing any more"):
        run("backup", "--to", str(tmp_path))
    assert not [*tmp_path.iterdir()]


@pytest.mark.servers
def test_a_backup_of_a_later_version_or_another_database_is_refused(
    target: BackupFolder, settings: Any
) -> None:
    backup = making.make_backup(target).id
    settings.VERSION = "0.9.9"
    with pytest.raises(RestoreRefused, match=r"newer than this one, 0\.9\.9"):
        restoring.restore_backup(target, backup)


@pytest.mark.parametrize(
    ("migration", "message"),
    [
        ("filing.0999_later", r"does not know: filing\.0999_later"),
        ("filing.0002_people_and_trail", r"was made before release 1\.0\.0"),
    ],
)
def test_a_backup_of_another_release_is_refused(
    target: BackupFolder, monkeypatch: pytest.MonkeyPatch, migration: str, message: str
) -> None:
    monkeypatch.setattr(making.connecting, "applied_migrations", lambda alias: [migration])
    backup = making.make_backup(target).id
    with pytest.raises(RestoreRefused, match=message):
        restoring.restore_backup(target, backup)


def run(*words: str) -> str:
    """Run a command and return what it says."""
    output = StringIO()
    call_command(*words, stdout=output, stderr=StringIO())
    return output.getvalue()
