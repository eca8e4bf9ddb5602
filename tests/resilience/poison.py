"""Files that end their worker: 20 kinds, each known by the LEI of its institution.

`poison_settings` adds them to a service. What a file can do to a worker is only known once it
has happened; these are the ways in which a process ends, hangs or cannot say what went wrong.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.apps import AppConfig

FIRST = 9_000  # the number of the institution of the first kind


class _Silent(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise ValueError("no message")


class _Panic(BaseException):
    """An error of a library that is no `Exception`."""


def _die(number: signal.Signals) -> Callable[[], None]:
    return lambda: os.kill(os.getpid(), number)


def _raise(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


def _recurse() -> None:
    _recurse()


def _sleep() -> None:
    while True:
        time.sleep(3600)


def _loop() -> None:
    while True:
        pass


def _backtrack() -> None:
    """Run for ages in C, where no other thread gets a turn."""
    re.match(r"(a+)+$", "a" * 64 + "b")


def _deadlock() -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def _hold_rows() -> None:
    """Hang with a transaction open, on SQLite with the lock of the whole database."""
    from django.db import transaction

    from filing.models import Institution

    with transaction.atomic():
        Institution.objects.filter(lei="").update(name="")
        _sleep()


def _ignore_signals() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL})
    _sleep()


def _wrong_statement() -> None:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT no_such_column FROM filing_job")


KINDS: dict[str, Callable[[], Any]] = {
    "killed": _die(signal.SIGKILL),
    "segmentation fault": lambda: ctypes.string_at(0),
    "aborted": os.abort,
    "bus error": _die(signal.SIGBUS),
    "process exit": lambda: os._exit(0),
    "system exit": lambda: sys.exit(1),
    "interrupt": _raise(KeyboardInterrupt()),
    "memory": _raise(MemoryError()),
    "recursion": _recurse,
    "panic": _raise(_Panic()),
    "error": _raise(ValueError("wrong")),
    "message that cannot be stored": _raise(ValueError("nul \0, half a pair \ud800")),
    "message that cannot be made": _raise(_Silent()),
    "long message": _raise(ValueError("x" * 10_000_000)),
    "wrong statement": _wrong_statement,
    "sleep": _sleep,
    "loop": _loop,
    "backtracking": _backtrack,
    "deadlock": _deadlock,
    "open transaction": _hold_rows,
    "stopped": _die(signal.SIGSTOP),
    "signals ignored": _ignore_signals,
}


class PoisonConfig(AppConfig):
    """Makes workers run what the LEI of a file names, in place of parsing or checking it."""

    name = "tests.resilience.poison"
    label = "poison"

    def ready(self) -> None:
        from bench.service import lei_of
        from filing import registries
        from filing.models import Submission

        poisons = {lei_of(FIRST + number): act for number, act in enumerate(KINDS.values())}
        # Every other kind is only met once the file is parsed.
        at = {lei: ("parse", "edits")[number % 2] for number, lei in enumerate(poisons)}
        for stage in ("parse", "edits"):
            kind = registries.find_job_kind(stage)
            run = kind.run
            assert run is not None

            def poisoned(lease: Any, stage: str = stage, run: Any = run) -> int | None:
                lei = Submission.objects.get(jobs=lease.job_id).lei
                if at.get(lei) == stage:
                    poisons[lei]()
                return run(lease)

            registries.JOB_KINDS[stage] = replace(kind, run=poisoned)
