"""Live checks, which call other programs: their registry, and looks at what may hang.

`manage.py check`, `migrate` and other commands run every check of Django's own registry, whatever
its tags, so live checks have another registry of the same class. One tag of a check names its part,
another one its reader: `READINESS` is for `/readyz`, `DOCTOR` for `manage.py doctor`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Generic, TypeVar

from django.core import checks
from django.core.checks import CheckMessage
from django.core.checks.registry import CheckRegistry

log = logging.getLogger(__name__)

LIVE_CHECKS = CheckRegistry()
READINESS, DOCTOR = "readiness", "doctor"
# What must work before a part can be looked at.
NEEDS_DATABASE, NEEDS_TABLES = "needs the database", "needs all migrations"
OUTSIDE = "outside"  # looking at it calls machines of others

Check = Callable[..., Iterable[CheckMessage]]
Result = TypeVar("Result")


def select_checks(
    reader: str, parts: Sequence[str], *, registry: CheckRegistry = LIVE_CHECKS
) -> dict[str, Any]:
    """Return the check that a reader runs for each part."""
    of_reader = [check for check in registry.get_checks() if reader in check.tags]
    return {part: next(each for each in of_reader if part in each.tags) for part in parts}


def find_fault(check: Check) -> str:
    """Return the text of the first error of a check; blank if there is none."""
    messages = check(app_configs=None, databases=None)
    return next((str(each.msg) for each in messages if each.level >= checks.ERROR), "")


def start_look(see: Callable[[], Result], *, failed: Result, name: str) -> Future[Result]:
    """Return what a thread of this name sees; `failed` if it ends with an error."""
    look: Future[Result] = Future()

    def go() -> None:
        result = failed
        try:
            result = see()
        except Exception:  # whatever it looks at, the look has to end
            log.exception("A look at %s failed", name)
        finally:
            look.set_result(result)

    # A daemon, unlike the threads of an executor: one that hangs must not keep the process alive.
    threading.Thread(target=go, daemon=True, name=name).start()
    return look


def wait_for_look(look: Future[Result], *, until: float, late: Result) -> Result:
    """Return what a look has seen, or `late` if it has not ended by then."""
    try:
        return look.result(timeout=max(0.0, until - time.monotonic()))
    except TimeoutError:
        return late


class Latest(Generic[Result]):
    """The latest look at something. name: of its threads."""

    def __init__(self, see: Callable[[], Result], *, failed: Result, name: str) -> None:
        self._see = see
        self._begin = partial(start_look, self._see_and_note, failed=failed, name=name)
        self._guard = threading.Lock()
        self._look: Future[Result] | None = None
        self._ended_at = 0.0

    def current(self, *, kept_seconds: float) -> Future[Result]:
        """Return the look that is going on or has just ended, else a new one."""
        with self._guard:
            look = self._look
            if not look or (look.done() and time.monotonic() > self._ended_at + kept_seconds):
                self._look = look = self._begin()
            return look

    def _see_and_note(self) -> Result:
        try:
            return self._see()
        finally:
            self._ended_at = time.monotonic()  # before anyone who waits has the result
