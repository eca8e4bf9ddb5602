"""An upgrade keeps with each membership by email domain the address that its user has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.filing.migrations.migrating import migrated

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
BEFORE, AFTER = ("filing", "0012_repetitions"), ("filing", "0013_rights_that_end")


@pytest.fixture
def before() -> Iterator[Any]:
    """The apps before the migration; all migrations are there again afterwards."""
    yield migrated(BEFORE)
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_addresses_are_kept(before: Any) -> None:
    user = before.get_model("auth", "User").objects.create(username="ann", email="ann@bank.example")
    membership = before.get_model("filing", "Membership")
    for lei, source in (("A" * 20, "domain"), ("B" * 20, "hand")):
        membership.objects.create(user=user, lei=lei, source=source)
    after = migrated(AFTER).get_model("filing", "Membership")
    kept = after.objects.order_by("lei").values_list("email", "checked_at")
    assert list(kept) == [("ann@bank.example", None), ("", None)]
