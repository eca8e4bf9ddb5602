"""Writes that are tried again while the database takes none: a full disk, a lock, a restart."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

log = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.5
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS}
T = TypeVar("T")


def is_without_room(error: BaseException) -> bool:
    """Tell whether an error means that the disk or the database takes nothing at the moment."""
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    return isinstance(error, OperationalError)


def persist(write: Callable[[], T], *, seconds: float | None = None) -> T:
    """Return what a write returns, trying again while none succeeds: as long as a lease lasts.

    On a full disk, say: a worker that went on would lose one ring after the other, and a job whose
    end it cannot write would be nobody's until its lease runs out. seconds: another time than that.
    """
    until = time.monotonic() + (settings.JOB_LEASE_SECONDS if seconds is None else seconds)
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError) as error:
            if time.monotonic() > until:
                raise
            log.warning("Nothing was written, and it is tried again: %s", error)
            connection.close_if_unusable_or_obsolete()
            time.sleep(_PAUSE_SECONDS)
