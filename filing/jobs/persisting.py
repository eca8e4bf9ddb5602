"""Retries writes while the database takes none: a full disk, a lock, a restart."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from filing import outages

log = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.5
_NEEDED = (outages.Part.DATABASE, outages.Part.STORAGE)
T = TypeVar("T")


def is_storage_down(error: BaseException) -> bool:
    """Tell whether an error means that the database, the disk or the bucket is down or full."""
    return outages.part_of(error) in _NEEDED


def persist(write: Callable[[], T], *, seconds: float | None = None) -> T:
    """Return the result of a write, retried until it succeeds or the duration of a lease is over.

    On a full disk, a worker that did not wait would lose one job after the other, and a job whose
    end it could not write would have no worker until its lease expires. seconds: another limit.
    """
    until = time.monotonic() + (settings.JOB_LEASE_SECONDS if seconds is None else seconds)
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError) as error:
            if time.monotonic() > until:
                raise
            log.warning("The database takes no writes; retrying: %s", error)
            connection.close_if_unusable_or_obsolete()
            time.sleep(_PAUSE_SECONDS)
