"""The databases of a Redis server that processes of the tests use, each its own.

Else one process reads the messages that another one sent, or that a service of another one waits
for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

_DATABASES = 16  # that a server has
_VARIABLES = ("CELERY_BROKER_URL", "CACHE_URL")
_number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


def find_redis_urls(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that name a Redis server, with its addresses."""
    urls = {name: environment.get(name, "") for name in _VARIABLES}
    return {name: url for name, url in urls.items() if url.startswith("redis")}


def name_database(environment: Mapping[str, str], database: int) -> dict[str, str]:
    """Return the variables that name a Redis server, with another database of it."""
    urls = find_redis_urls(environment)
    return {name: f"{url.rpartition('/')[0]}/{database}" for name, url in urls.items()}


def take_own_database() -> None:
    """Let this process, one of several, use the one of the last databases that is its own."""
    os.environ.update(name_database(os.environ, _DATABASES - 1 - _number))


def list_free_databases() -> list[int]:
    """Return the databases for services of this process. The first one is left alone."""
    return list(range(1 + _number, _DATABASES - _processes, _processes))
