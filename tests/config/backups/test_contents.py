"""Which files the rows name: every column that names one is known, and every row is asked."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage

from config.backups import contents, making
from config.backups.contents import NamedFile
from databrowser.models import PublicImport
from filing.audit import keys
from filing.demo.loading import load_demo_census
from filing.jobs import loop
from filing.models import PostponedRemoval
from tests.filing.submissions.uploading import register, upload
from tests.tree import APPS

_NAMES_FILES = re.compile(r"(^|_)(file|folder|path)$")


def test_every_column_that_names_a_stored_file_is_known() -> None:
    columns = defaultdict(list)
    for label in {*APPS} & {app.label for app in apps.get_app_configs()}:
        for table in apps.get_app_config(label).get_models():
            for column in table._meta.get_fields():
                if not column.is_relation and _NAMES_FILES.search(column.name):
                    columns[table].append(column.name)
    del columns[PostponedRemoval]  # what it lists is not needed any more
    assert {table: sorted(names) for table, names in columns.items()} == {
        table: sorted(names) for table, names in contents.COLUMNS.items()
    }


@pytest.mark.django_db
def test_a_submission_names_its_file_and_the_folders_of_its_results(
    submission, filer, tmp_path: Path
) -> None:
    data = load_demo_census(2024, by="test")
    loop.run_job(upload(submission, register(Q611=2), filer, tmp_path).pk)
    submission.refresh_from_db()
    owner = f"submission {submission}"
    named = [*contents.named_files("default")]
    assert named[:3] == [
        NamedFile(owner, submission.raw_file, False, {submission.raw_file: "0" * 64}),
        NamedFile(owner, submission.parse_folder),
        NamedFile(owner, submission.edits_folder),
    ]
    assert [(each.path.split("/")[0], each.is_folder) for each in named[3:]] == [
        ("reference", False)
    ], data
    files = [path for each in named[:3] for path in contents.list_paths(each)]
    assert [path.rpartition("/")[2] for path in files] == [
        "raw.txt", "bad-rows", "offsets", "findings", "report.json",
    ]  # fmt: skip


@pytest.mark.django_db
def test_folders_are_listed_to_their_ends_and_a_missing_one_has_no_files() -> None:
    public = PublicImport.objects.create(
        year=2023, source="a.csv", sha256="a" * 64, rows=1, institutions=1, loan_amount=1,
        folder="publication/imports/2023/of-a-test",
    )  # fmt: skip
    (named,) = contents.named_files("default")
    assert contents.list_paths(named) == []
    for name in ("b", "a/c"):
        default_storage.save(f"{public.folder}/{name}", ContentFile(b"x"))
    assert contents.list_paths(named) == [f"{public.folder}/b", f"{public.folder}/a/c"]


@pytest.fixture
def data(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    settings.IDENTITY_KEY_DIR = tmp_path / "identity"
    settings.IDENTITY_KEY_DIR.mkdir()
    (tmp_path / "secret-key").write_text("secret-of-the-site")
    (tmp_path / "identity" / "0001.pem").write_text("key that signs tokens")
    (tmp_path / "running.json").write_text("{}")
    return tmp_path


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_a_backup_has_no_key(data: Path, settings: Any) -> None:
    """Neither of those that sign tokens nor of those that sign receipts, nor the secret key."""
    settings.RECEIPT_KEY_DIR = data / "keys" / "receipts"
    target = FileSystemStorage(data / "target")
    manifest = making.make_backup(target)
    assert manifest.file_count == 0
    secrets = [path.read_bytes() for path in data.rglob("*.pem")] + [b"secret-of-the-site"]
    assert len(secrets) == 3
    contents_of_backup = b"".join(
        path.read_bytes() for path in (data / "target").rglob("*") if path.is_file()
    )
    assert [secret for secret in secrets if secret in contents_of_backup] == []


@pytest.mark.servers
def test_keys_that_sign_tokens_are_set_aside(data: Path, settings: Any) -> None:
    aside = data / "identity" / "0001.pem.before-1"
    assert contents.set_token_keys_aside(backup="1") == [str(aside)]
    assert aside.read_text() == "key that signs tokens"
    assert not list(settings.IDENTITY_KEY_DIR.glob("*.pem"))
    # Receipts are never signed with a key of that folder.
    settings.RECEIPT_KEY_DIR = settings.IDENTITY_KEY_DIR
    with pytest.raises(keys.NoUsableKey, match="the folder of the token keys"):
        keys.require_signing_key()
