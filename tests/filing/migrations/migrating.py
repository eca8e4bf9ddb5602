"""Run the migrations up to one of them."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def migrated(target: tuple[str, str]) -> Any:
    """Migrate to a state, and return the apps as they were then."""
    executor = MigrationExecutor(connection)
    executor.migrate([target])
    return executor.loader.project_state([target]).apps
