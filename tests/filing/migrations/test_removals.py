"""The columns and tables of removals: submissions stay, and processes of before can go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.filing.migrations.migrating import migrated
from tests.filing.migrations.test_registered_names import a_submission

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE, AFTER = ("filing", "0018_plain_labels"), ("filing", "0019_removals")


@pytest.fixture
def before() -> Iterator[Any]:
    """The apps before the migration; all migrations are there again afterwards."""
    yield migrated(BEFORE)
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_submissions_stay_and_code_of_before_adds_more(before: Any) -> None:
    first = a_submission(before)
    after = migrated(AFTER).get_model("filing", "Submission")
    before.get_model("filing", "Submission").objects.create(
        filing_id=first.filing_id, sequence_number=2
    )
    rows = after.objects.order_by("sequence_number")
    assert [*rows.values_list("sequence_number", "files_removed_at", "files_removed_rule")] == [
        (1, None, ""),
        (2, None, ""),
    ]


def test_the_way_back_is_open(before: Any) -> None:
    first = a_submission(before)
    migrated(AFTER)
    table = migrated(BEFORE).get_model("filing", "Submission")
    assert [row.pk for row in table.objects.all()] == [first.pk]
