"""Migrations since the former release: its code must be able to work while they are applied."""

from __future__ import annotations

from functools import cache

import pytest
from django.db import migrations, models
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from tests.former_release import MIGRATIONS
from tests.migration_rules import problems

# Operations that look dangerous and are not, each with the reason: "filing.0020_name": "...".
AGREED: dict[str, str] = {
    "filing.0021_audit_chain": "It reads the last key of four tables, and writes to a new one.",
}


@cache
def loader() -> MigrationLoader:
    return MigrationLoader(None)


def new_migrations() -> list[Migration]:
    """Return the migrations of our apps that the former release does not have."""
    return [
        migration
        for (app, name), migration in sorted(loader().disk_migrations.items())
        if app in MIGRATIONS and name > MIGRATIONS[app]
    ]


def test_the_former_release_has_the_migrations_that_its_list_names() -> None:
    assert {(app, name) for app, name in MIGRATIONS.items()} <= set(loader().disk_migrations)
    ours = {
        app
        for (app, _), migration in loader().disk_migrations.items()
        if migration.__module__.partition(".")[0]
        in {"config", "databrowser", "filing", "graphs", "ratespread", "publicapi", "uliapi"}
    }
    assert ours == set(MIGRATIONS)


def test_new_migrations_only_expand() -> None:
    found = {}
    for migration in new_migrations():
        name = f"{migration.app_label}.{migration.name}"
        state = loader().project_state((migration.app_label, migration.name), at_end=False)
        texts = []
        for operation in migration.operations:
            texts += problems(operation, state, migration.app_label)
            operation.state_forwards(migration.app_label, state)
        if texts and name not in AGREED:
            found[name] = texts
    assert found == {}, "Write it in two releases: see docs/operators/upgrades.md"


def test_what_was_agreed_is_needed() -> None:
    names = {f"{each.app_label}.{each.name}" for each in new_migrations()}
    assert set(AGREED) <= names
    assert all(AGREED.values())


TEXT = models.CharField(max_length=10)


def nothing(apps: object, editor: object) -> None:
    """Stand for a change of rows."""


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (migrations.AddField("thing", "new", models.CharField(max_length=9, null=True)), ""),
        (migrations.AddField("thing", "new", models.IntegerField(db_default=0)), ""),
        (migrations.AddField("thing", "new", models.IntegerField(default=0)), "without it"),
        (migrations.AddField("thing", "new", models.ManyToManyField("app.thing")), ""),
        (migrations.RemoveField("thing", "text"), "still uses it"),
        (migrations.RenameField("thing", "text", "words"), "still uses it"),
        (migrations.RenameModel("thing", "matter"), "still uses it"),
        (migrations.DeleteModel("thing"), "still uses it"),
        (migrations.AlterModelTable("thing", "matters"), "still uses it"),
        (migrations.AlterUniqueTogether("thing", {("text",)}), "still uses it"),
        (migrations.AlterField("thing", "text", models.CharField("words", max_length=10)), ""),
        (migrations.AlterField("thing", "text", models.CharField(max_length=20)), ""),
        (migrations.AlterField("thing", "text", models.CharField(max_length=5)), "longer texts"),
        (migrations.AlterField("thing", "text", models.IntegerField()), "type of the column"),
        (
            migrations.AlterField("thing", "text", models.CharField(max_length=10, null=True)),
            "may read NULL",
        ),
        (migrations.AlterField("thing", "maybe", models.IntegerField()), "may write NULL"),
        (
            migrations.AddConstraint(
                "thing", models.UniqueConstraint(fields=["text"], name="one_thing_per_text")
            ),
            "refuses",
        ),
        (migrations.RunPython(nothing), "as a job"),
        (migrations.RunSQL("SELECT 1"), "as a job"),
        (
            migrations.SeparateDatabaseAndState(
                database_operations=[migrations.RunSQL("SELECT 1")]
            ),
            "as a job",
        ),
        (migrations.AddIndex("thing", models.Index(fields=["text"], name="by_text")), ""),
        (migrations.CreateModel("other", [("id", models.BigAutoField(primary_key=True))]), ""),
    ],
)
def test_each_kind_of_operation_is_judged(operation: Operation, words: str) -> None:
    state = ProjectState()
    fields = {
        "id": models.BigAutoField(primary_key=True),
        "text": TEXT,
        "maybe": models.IntegerField(null=True),
    }
    state.add_model(ModelState("app", "thing", list(fields.items())))
    found = list(problems(operation, state, "app"))
    assert len(found) == bool(words)
    assert words in "".join(found)
