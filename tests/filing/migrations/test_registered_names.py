"""An upgrade keeps jobs and entries of every kind, and takes those of areas yet to come."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from filing.jobs import loop
from filing.models import Attempt, Job, TrailEntry
from filing.registries.kinds import KINDS, Kind
from tests.conftest import LEI
from tests.filing.migrations.migrating import migrated

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
BEFORE, AFTER = ("filing", "0013_rights_that_end"), ("filing", "0014_registered_names")
ERRANDS = ["mail", "season", "disclose", "publish", "graphs"]
EVENTS = ["signed in", "public file imported", "data set published"]


@pytest.fixture
def before() -> Iterator[Any]:
    """The apps before the migration; all migrations are there again afterwards."""
    yield migrated(BEFORE)
    migrate_all()


def migrate_all() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def a_submission(apps: Any) -> Any:
    period = apps.get_model("filing", "FilingPeriod").objects.create(
        year=2024, opens="2025-01-01", timely_until="2025-03-03", closes="2027-12-31"
    )
    institution = apps.get_model("filing", "Institution").objects.create(
        activity_year=2024, lei=LEI, name="A bank", tax_id="12-3456789", agency=9
    )
    filing = apps.get_model("filing", "Filing").objects.create(
        institution=institution, period=period
    )
    return apps.get_model("filing", "Submission").objects.create(filing=filing, sequence_number=1)


def test_rows_of_each_kind_stay_and_other_kinds_follow(before: Any) -> None:
    submission = a_submission(before)
    job, attempt = before.get_model("filing", "Job"), before.get_model("filing", "Attempt")
    for stage in Job.OF_SUBMISSIONS:
        job.objects.create(stage=stage, submission=submission, state="done")
    for stage in ERRANDS:
        made = job.objects.create(stage=stage, attempts=1, request_id=f"of {stage}")
        attempt.objects.create(job=made, number=1, outcome="released", error="disk full")
    for event in EVENTS:
        before.get_model("filing", "TrailEntry").objects.create(happening=event)
    rows = list(job.objects.order_by("pk").values())

    after = migrated(AFTER)
    assert list(after.get_model("filing", "Job").objects.order_by("pk").values()) == rows
    assert list(Attempt.objects.order_by("pk").values_list("job__stage", flat=True)) == ERRANDS
    assert sorted(TrailEntry.objects.values_list("happening", flat=True)) == sorted(EVENTS)
    table = after.get_model("filing", "Job").objects
    table.create(stage="a kind of an area that is yet to come")
    for stage, about in (("edits", None), ("mail", submission.pk), ("weigh", submission.pk)):
        with pytest.raises(IntegrityError), transaction.atomic():
            table.create(stage=stage, submission_id=about)


def test_what_was_queued_before_is_done_after(before: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    then = timezone.now() - timedelta(minutes=1)
    for stage in ERRANDS:
        before.get_model("filing", "Job").objects.create(stage=stage, not_before=then)
    done = []

    def work(lease: Any) -> None:
        with transaction.atomic():
            lease.finish()
        done.append(lease.stage)

    migrate_all()  # what works is the code of today
    for stage in ERRANDS:
        monkeypatch.setitem(KINDS, stage, Kind(stage, work))
    for job in Job.objects.order_by("pk"):
        loop.work(job.pk)
    assert sorted(done) == sorted(ERRANDS)


def test_the_way_back_is_open_while_no_other_kind_was_used(before: Any) -> None:
    migrated(AFTER)
    then = migrated(BEFORE)
    job = then.get_model("filing", "Job")
    job.objects.create(stage="graphs")
    with pytest.raises(IntegrityError), transaction.atomic():
        job.objects.create(stage="weigh")
