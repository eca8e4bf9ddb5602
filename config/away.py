"""Whether an error means that something the service stands on is away, and what callers are told.

The database, the queue and the storage can be away for a while: stopped, out of reach, full or
locked. That is no mistake in the code, so it is told apart from unexpected errors: 503 with a
time to come back, and one line in the log.
"""

from __future__ import annotations

import errno
import logging
import sqlite3
from collections.abc import Iterator
from enum import Enum

import redis
from botocore.exceptions import BotoCoreError, ClientError
from django.db import DatabaseError, Error, InterfaceError, OperationalError, connection
from kombu.exceptions import OperationalError as QueueError

log = logging.getLogger(__name__)

RETRY_SECONDS = 30


class Part(Enum):
    """What is away, and what the service cannot do without it."""

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
# A missing file is not among them: it may be missing for good.
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


def part_of(error: BaseException | None) -> Part | None:
    """Return what is away, where that is the reason of an error; nothing for any other error."""
    return next(filter(None, map(_part, _chain(error))), None)


def sentence(part: Part, *, may_have_changed: bool) -> str:
    """Return what callers are told. may_have_changed: whether they have asked for a change."""
    told = f"The service cannot {part.value} at the moment. Try again in {RETRY_SECONDS} seconds."
    return f"{told} What you sent may not have been saved." if may_have_changed else told


def note(part: Part, error: BaseException) -> None:
    """Write the one line that the log has of it, and let the next request connect again."""
    log.warning("The service cannot %s: %s", part.value, _first_line(error))
    if part is Part.DATABASE and not connection.in_atomic_block:
        # Also to SQLite, where a connection goes on with a file that was moved away.
        try:
            connection.close()
        except Error as failure:
            log.warning("The connection to the database was not closed: %s", _first_line(failure))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and what it was raised from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__


def _part(error: BaseException) -> Part | None:
    if isinstance(error, Error):
        return Part.DATABASE if _is_without_database(error) else None
    if isinstance(error, (QueueError, redis.RedisError)):
        return Part.QUEUE
    if isinstance(error, BotoCoreError):
        return Part.STORAGE
    if isinstance(error, ClientError):
        code = str(error.response.get("Error", {}).get("Code", ""))
        return None if code in _MISSING else Part.STORAGE
    if isinstance(error, OSError) and error.errno in _FILES:
        return Part.STORAGE
    return None


def _is_without_database(error: Error) -> bool:
    """Tell a database that cannot be used from a statement that is wrong."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # without what an extended code adds
        return code in _SQLITE or (code == sqlite3.SQLITE_ERROR and _is_empty(cause))
    if isinstance(error, InterfaceError):
        return "connection" in str(error)
    state = getattr(cause, "sqlstate", None)
    if state is None:  # what the library says itself: there is no connection, or no more
        return isinstance(error, OperationalError)
    return str(state).startswith(_POSTGRESQL)


def _is_empty(cause: sqlite3.Error) -> bool:
    """Tell whether a table is missing because all are: the file of SQLite was taken away."""
    if connection.vendor != "sqlite" or not str(cause).startswith("no such table"):
        return False
    try:
        return not connection.introspection.table_names()
    except DatabaseError:
        return True


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
