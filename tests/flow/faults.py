"""Faults of a running service: processes that are killed or stand still, a queue that is cut."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

from tests.flow.conftest import Service
from tests.flow.processes import kill, parent_of, signal_all, wait_until, workers, working_processes
from tests.resilience.between import Between

IS_REDIS = os.environ.get("CELERY_BROKER_URL", "").startswith("redis")
LEASE_SECONDS = 4  # of jobs; what stands still for longer has lost its job
STILL_SECONDS = LEASE_SECONDS + 2
CUT_SECONDS = 2.0


class Faults:
    """Causes faults, and undoes those that last.

    broker: stands between the service and its Redis; without Redis the folder of messages is
    emptied instead.
    """

    def __init__(self, service: Service, broker: Between) -> None:
        self._service, self._broker = service, broker
        self._lasting: list[threading.Timer] = []
        self.kinds: dict[str, Callable[[], None]] = {
            "what runs the jobs is killed": lambda: kill(working_processes(service)),
            "the workers are killed": lambda: kill(self._workers()),
            "a web child is killed": lambda: kill({*sorted(workers(service))[:1]}),
            "the web server is killed": lambda: kill({*service.processes("gunicorn")}),
            "beat is killed": lambda: kill({*service.processes(" beat ")}),
            "workers stand still": lambda: self._stop(self._workers(), STILL_SECONDS),
            "what runs the jobs stands still": lambda: self._stop(
                working_processes(service), STILL_SECONDS
            ),
            "a web child stands still": lambda: self._stop({*sorted(workers(service))[:1]}, 1.5),
            "the queue is cut": self._cut_queue,
        }

    def cause(self, kind: str) -> None:
        """Cause a fault. It may last for some seconds; everything that was killed starts again."""
        self.kinds[kind]()

    def later(self, seconds: float, kind: str) -> None:
        """Cause a fault in a while, beside what goes on meanwhile."""
        self._later(seconds, lambda: self.cause(kind))

    def end(self) -> None:
        """Wait until no fault lasts and every part runs."""
        while self._lasting:  # one may cause the next
            self._lasting.pop().join()
        wait_until(lambda: len(workers(self._service)) >= 2, "web processes run")
        wait_until(lambda: len(working_processes(self._service)) >= 2, "workers run")
        wait_until(lambda: self._service.processes(" beat "), "beat runs")

    def _workers(self) -> set[int]:
        found = set(self._service.processes(" worker "))
        return {process for process in found if parent_of(process) not in found}

    def _stop(self, processes: set[int], seconds: float) -> None:
        signal_all([*processes], signal.SIGSTOP)
        self._later(seconds, lambda: signal_all([*processes], signal.SIGCONT))

    def _cut_queue(self) -> None:
        if IS_REDIS:
            self._broker.close()
            self._later(CUT_SECONDS, self._broker.open)
            return
        for message in (self._service.data_dir / "queue" / "messages").iterdir():
            message.unlink(missing_ok=True)

    def _later(self, seconds: float, action: Callable[[], object]) -> None:
        timer = threading.Timer(seconds, action)
        timer.start()
        self._lasting.append(timer)
