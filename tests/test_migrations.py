"""Migrations after the initial ones: the code of the former release must work on their tables."""

from __future__ import annotations

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from tests.migration_rules import problems
from tests.tree import APPS

# Operations that look dangerous and are not, each with the reason: "filing.0002_name": "...".
AGREED: dict[str, str] = {
    "databrowser.0004_vintages": "The former release writes rows of dynamic data sets alone, one a "
    "year, as all of it allows.",
    "filing.0015_people_of_institutions": "The constraint on sources only allows one more; "
    "the other is on columns that the former release does not write.",
    "filing.0019_end_sessions": "Sessions end, as *Upgrading* says; those that the former "
    "release begins meanwhile end with its processes.",
    "filing.0002_seals": "It adds rows to a new table, which the former release does not know.",
}


def refused() -> dict[str, list[str]]:
    """Return what the former release cannot live with, by migration of our apps."""
    loader, found = MigrationLoader(None), {}
    for (app, name), migration in sorted(loader.disk_migrations.items()):
        if name == "0001_initial" or migration.__module__.partition(".")[0] not in APPS:
            continue
        state = loader.project_state((app, name), at_end=False)
        texts: list[str] = []
        for operation in migration.operations:
            texts += problems(operation, state, app)
            operation.state_forwards(app, state)
        if texts:
            found[f"{app}.{name}"] = texts
    return found


def test_migrations_only_expand() -> None:
    found = refused()
    assert {name: texts for name, texts in found.items() if name not in AGREED} == {}, (
        "Write it in two releases: see docs/operators/upgrades.md"
    )
    assert set(AGREED) <= set(found)


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
