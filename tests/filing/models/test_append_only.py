"""What was written once is not changed: neither by our own code nor by a statement of anybody."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from databrowser.models import Publication, Version
from filing.models import (
    Attempt,
    AuditEvent,
    Job,
    Note,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
    append_only,
)

pytestmark = pytest.mark.django_db
# Each with a column that somebody might wish to change.
WRITTEN_ONCE: dict[type[Model], str] = {
    TrailEntry: "about",
    StatusChange: "reason",
    Signature: "receipt",
    Attempt: "error",
    Note: "reason",
    Publication: "reason",
}


@pytest.fixture
def written(submission: Submission) -> dict[type[Model], Model]:
    signature = Signature.objects.create(
        submission=submission, receipt="receipt", signed_at=timezone.now()
    )
    return {
        TrailEntry: TrailEntry.objects.create(happening=AuditEvent.SIGNED_IN),
        StatusChange: submission.changes.get(),
        Signature: signature,
        Attempt: Attempt.objects.create(
            job=Job.objects.create(stage="mail"), number=1, outcome="done"
        ),
        Note: Note.objects.create(
            content_type=ContentType.objects.get_for_model(Submission),
            object_id=submission.pk,
            reason="Called on Monday.",
        ),
        Publication: Publication.objects.create(
            year=2023,
            version=Version.objects.create(
                year=2023, number=1, job=Job.objects.create(stage="publish")
            ),
            what=Publication.What.PUBLISHED,
        ),
    }


def refused(change: Any) -> None:
    with pytest.raises(DatabaseError, match="is never changed"), transaction.atomic():
        change()


@pytest.mark.parametrize("model", WRITTEN_ONCE)
def test_a_row_is_not_saved_again(model: type[Model], written: Any) -> None:
    refused(written[model].save)


@pytest.mark.parametrize("model", WRITTEN_ONCE)
def test_no_statement_changes_a_row(model: type[Model], written: Any) -> None:
    table, key = model._meta.db_table, written[model].pk
    column = WRITTEN_ONCE[model]

    def change() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET {column} = 'forged' WHERE id = %s", [key])

    refused(change)
    assert getattr(model._base_manager.get(pk=key), column) != "forged"


@pytest.mark.parametrize("model", [TrailEntry, Note, Publication])
def test_neither_update_nor_delete_of_many_is_taken(model: Any, written: Any) -> None:
    with pytest.raises(TypeError, match="never changed"):
        model.objects.update(reason="forged")
    with pytest.raises(TypeError, match="never deleted"):
        model.objects.all().delete()
    with pytest.raises(TypeError, match="never deleted"):
        written[model].delete()
    assert TrailEntry.objects.exists()


def test_other_tables_are_changed_as_ever(submission: Submission) -> None:
    assert Submission.objects.update(file_name="lar.txt") == 1


def test_the_guards_may_be_set_up_again(written: Any) -> None:
    append_only.guard(apps.get_app_config("filing"))
    refused(written[TrailEntry].save)
