"""What was written once is not changed: neither by our own code nor by a statement of anybody."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from filing import append_only
from filing.models import Happening, Signature, StatusChange, Submission, TrailEntry

pytestmark = pytest.mark.django_db
WRITTEN_ONCE = [TrailEntry, StatusChange, Signature]


@pytest.fixture
def written(submission: Submission) -> dict[type[Model], Model]:
    signature = Signature.objects.create(
        submission=submission, receipt="receipt", signed_at=timezone.now()
    )
    return {
        TrailEntry: TrailEntry.objects.create(happening=Happening.SIGNED_IN),
        StatusChange: submission.changes.get(),
        Signature: signature,
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
    column = "about" if model is TrailEntry else "reason" if model is StatusChange else "receipt"

    def change() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET {column} = 'forged' WHERE id = %s", [key])

    refused(change)
    assert getattr(model._base_manager.get(pk=key), column) != "forged"


def test_the_trail_takes_neither_update_nor_delete_of_many(written: Any) -> None:
    with pytest.raises(TypeError, match="never changed"):
        TrailEntry.objects.update(about="forged")
    with pytest.raises(TypeError, match="never deleted"):
        TrailEntry.objects.all().delete()
    with pytest.raises(TypeError, match="never deleted"):
        written[TrailEntry].delete()
    assert TrailEntry.objects.exists()


def test_other_tables_are_changed_as_ever(submission: Submission) -> None:
    assert Submission.objects.update(file_name="lar.txt") == 1


def test_the_guards_may_be_set_up_again(written: Any) -> None:
    append_only.guard()
    refused(written[TrailEntry].save)
