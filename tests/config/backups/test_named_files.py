"""Which files the rows name: every column that names one is known, and every row is asked."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from config.backups import named_files
from config.backups.named_files import Named
from databrowser.models import PublicImport
from filing.demo.loading import load_census
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
        table: sorted(names) for table, names in named_files.COLUMNS.items()
    }


@pytest.mark.django_db
def test_a_submission_names_its_file_and_the_folders_of_its_results(
    submission, filer, tmp_path: Path
) -> None:
    data = load_census(2024, by="test")
    loop.run_job(upload(submission, register(Q611=2), filer, tmp_path).pk)
    submission.refresh_from_db()
    owner = f"submission {submission}"
    named = [*named_files.every("default")]
    assert named[:3] == [
        Named(owner, submission.raw_file, False, {submission.raw_file: "0" * 64}),
        Named(owner, submission.parse_folder),
        Named(owner, submission.edits_folder),
    ]
    assert [(each.path.split("/")[0], each.is_folder) for each in named[3:]] == [
        ("reference", False)
    ], data
    files = [path for each in named[:3] for path in named_files.files_of(each)]
    assert [path.rpartition("/")[2] for path in files] == [
        "raw.txt", "bad-rows", "offsets", "findings",
    ]  # fmt: skip


@pytest.mark.django_db
def test_folders_are_listed_to_their_ends_and_a_missing_one_has_no_files() -> None:
    public = PublicImport.objects.create(
        year=2023, source="a.csv", sha256="a" * 64, rows=1, institutions=1, loan_amount=1,
        folder="publication/imports/2023/of-a-test",
    )  # fmt: skip
    (named,) = named_files.every("default")
    assert named_files.files_of(named) == []
    for name in ("b", "a/c"):
        default_storage.save(f"{public.folder}/{name}", ContentFile(b"x"))
    assert named_files.files_of(named) == [f"{public.folder}/b", f"{public.folder}/a/c"]
