"""What was written once is not changed: neither by our own code nor by a statement of anybody."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, connection, transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from databrowser.models import Publication, Version
from filing.models import (
    Attempt,
    AuditEvent,
    Job,
    Note,
    ReceiptKey,
    RemovalPermit,
    Signature,
    SignedReceipt,
    StatusChange,
    Submission,
    TrailEntry,
    append_only,
)

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
# Each with a column that somebody might wish to change.
WRITTEN_ONCE: dict[type[Model], str] = {
    TrailEntry: "about",
    StatusChange: "reason",
    Signature: "receipt",
    Attempt: "error",
    Note: "reason",
    Publication: "reason",
    ReceiptKey: "x",
    SignedReceipt: "jws",
}


@pytest.fixture
def written(submission: Submission) -> dict[type[Model], Model]:
    signature = Signature.objects.create(
        submission=submission, receipt="receipt", signed_at=timezone.now()
    )
    key = ReceiptKey.objects.create(kid="kid", x="x")
    return {
        ReceiptKey: key,
        SignedReceipt: SignedReceipt.objects.create(
            signature=signature, key=key, jws="a.b.c", issued_at=timezone.now()
        ),
        TrailEntry: TrailEntry.objects.create(event=AuditEvent.SIGNED_IN),
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


def test_no_statement_changes_or_deletes_a_row_or_empties_a_table(written: Any) -> None:
    connection.check_constraints()  # else PostgreSQL waits for those of the rows of this test
    whole = {"postgresql": "TRUNCATE {} CASCADE", "sqlite": "DELETE FROM {}"}[connection.vendor]
    for model, column in WRITTEN_ONCE.items():
        table, key = model._meta.db_table, written[model].pk
        for statement, refusal in (
            (f"UPDATE {table} SET {column} = 'forged' WHERE id = {key}", "is never changed"),
            (f"DELETE FROM {table} WHERE id = {key}", "is never deleted"),
            (whole.format(table), "is never deleted"),
        ):
            with (
                pytest.raises(DatabaseError, match=refusal),
                transaction.atomic(),
                connection.cursor() as cursor,
            ):
                cursor.execute(statement)
        assert getattr(model._base_manager.get(pk=key), column) != "forged"


def test_neither_update_nor_delete_of_many_is_taken(written: Any) -> None:
    for model in [TrailEntry, Note, Publication]:
        with pytest.raises(TypeError, match="never changed"):
            model.objects.update(reason="forged")
        with pytest.raises(TypeError, match="never deleted"):
            model.objects.all().delete()
        with pytest.raises(TypeError, match="never deleted"):
            written[model].delete()
        assert TrailEntry.objects.exists()


def test_a_permit_is_for_one_table_and_one_transaction(written: Any) -> None:
    def delete(model: type[Model]) -> None:
        QuerySet(model).filter(pk=written[model].pk)._raw_delete("default")

    def refused_for(model: type[Model]) -> None:
        with pytest.raises(DatabaseError, match="is never deleted"), transaction.atomic():
            delete(model)

    with append_only.permit_removal(Attempt):
        delete(Attempt)
        refused_for(Note)
    assert not RemovalPermit.objects.exists()
    assert not Attempt.objects.exists()
    refused_for(Note)
    written[Attempt].save(force_insert=True)
    refused_for(Attempt)
