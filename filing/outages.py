"""Whether an error is an outage of the database, the queue or the storage.

Each of them can be down for a while: stopped, out of reach, full or locked. That is not a mistake
in the code: requests get 503, and jobs wait without losing attempts.
"""

from __future__ import annotations

import errno
import sqlite3
import sys
from collections.abc import Iterator
from enum import Enum

from botocore.exceptions import BotoCoreError, ClientError
from django.db import DatabaseError, Error, InterfaceError, OperationalError, connection
from kombu.exceptions import OperationalError as QueueError


class OutagePart(Enum):
    """What can be down, each with what the service cannot do then."""

    DATABASE = "use its database"
    QUEUE = "reach its job queue"
    STORAGE = "read or save files"


# Conditions of PostgreSQL: the connection, resources (a full disk among them), the operator's stop,
# the system, a standby that only reads, and a lock or a conflict that took too long.
# Source: PostgreSQL 16, appendix A.
_POSTGRESQL = ("08", "53", "57P", "58", "25006", "40", "55P03")
# Source: SQLite, result and error codes.
_SQLITE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOTADB,
}
# Without a missing file: it may be missing for good.
_FILES = {
    errno.EACCES,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.ENODEV,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.ENXIO,
    errno.EPERM,
    errno.EROFS,
    errno.ESTALE,
}
_MISSING = {"NoSuchKey", "404", "NotFound", "InvalidRange", "PreconditionFailed", "304", "416"}


def redis_errors() -> tuple[type[Exception], ...]:
    """Return the errors of Redis's client: none while nothing has loaded it, as without Redis."""
    redis = sys.modules.get("redis")
    return (redis.RedisError,) if redis else ()


def find_outage(error: BaseException | None) -> OutagePart | None:
    """Return what is down if that caused the error, else None."""
    return next(filter(None, map(_part, _chain(error))), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error, its cause, the cause of that, and so on."""
    visited: set[int] = set()
    while error is not None and id(error) not in visited:
        visited.add(id(error))
        yield error
        error = error.__cause__


def _part(error: BaseException) -> OutagePart | None:
    if isinstance(error, Error):
        return OutagePart.DATABASE if _is_without_database(error) else None
    if isinstance(error, (QueueError, *redis_errors())):
        return OutagePart.QUEUE
    if isinstance(error, BotoCoreError):
        return OutagePart.STORAGE
    if isinstance(error, ClientError):
        code = str(error.response.get("Error", {}).get("Code", ""))
        return None if code in _MISSING else OutagePart.STORAGE
    if isinstance(error, OSError) and error.errno in _FILES:
        return OutagePart.STORAGE
    return None


def _is_without_database(error: Error) -> bool:
    """Return whether the database cannot be used, as opposed to a wrong statement."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # the base of an extended code
        return code in _SQLITE or (code == sqlite3.SQLITE_ERROR and _is_empty(cause))
    if isinstance(error, InterfaceError):
        return "connection" in str(error)
    state = getattr(cause, "sqlstate", None)
    if state is None:  # an error of the library itself: no connection, or no longer
        return isinstance(error, OperationalError)
    return str(state).startswith(_POSTGRESQL)


def _is_empty(cause: sqlite3.Error) -> bool:
    """Return whether a table is missing because all are: the SQLite file was removed."""
    if connection.vendor != "sqlite" or not str(cause).startswith("no such table"):
        return False
    try:
        return not connection.introspection.table_names()
    except DatabaseError:
        return True
