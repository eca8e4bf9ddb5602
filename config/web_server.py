"""The web server: the configuration of gunicorn, its logging, and how it loads new code.

On a hang-up signal (HUP) the server first checks in a separate process that the new code can be
loaded, then restarts in the same process with the same open port. The old workers keep running
until the new ones have started, and end once they have answered their requests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

from django.conf import settings
from django.utils.log import configure_logging
from gunicorn import glogging

from config.metrics import counters
from config.running import start_checks

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

wsgi_app = "config.wsgi:application"
worker_class = "config.web_worker.Worker"
preload_app = True
workers = 2
threads = settings.WEB_THREADS  # most of them wait for their callers: see config.connections
worker_connections = threads + 1000  # idle ones need no thread
# Without a sign of life, of which a worker gives one a second: it is stopped or hangs, and on
# SQLite it may have the lock of the database, for which all others wait.
timeout = 20
graceful_timeout = 10  # when all end; a replaced worker has the time that its class sets
# Longer than programs keep a connection, and than the longest pause between two reads of a status:
# a caller that is slow to send on a connection that is closed meanwhile would have no response.
keepalive = 20
control_socket_disable = True
max_requests = settings.WEB_MAX_REQUESTS
max_requests_jitter = max_requests // 5  # not all are replaced at once

PREDECESSORS = "WEB_PREDECESSORS"  # the variable with the workers from before a reload
# Loads the code, then checks the settings, of which a new release may demand more.
_LOADING = (
    "import config.web_server, config.web_worker, config.wsgi;"
    "from config.running import start_checks;"
    "start_checks.exit_if_unsafe()"
)
LISTENERS_FROM = 3  # the number of the first socket that a process inherits (systemd)


class Logger(glogging.Logger):
    """Passes the log lines of gunicorn to the service's logging, also before a worker runs."""

    def setup(self, cfg: Any) -> None:
        """Set up logging from the settings, in place of gunicorn's own handlers."""
        super().setup(cfg)
        configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
        for log in (self.error_log, self.access_log):
            log.handlers.clear()
            log.propagate = True
        self.error_log.setLevel(settings.LOG_LEVEL)


logger_class = Logger


class Predecessor:
    """A worker from before a reload, in the form in which the server lists its workers."""

    aborted = False

    def __init__(self, age: int) -> None:
        self.age, self.tmp = age, self

    def last_update(self) -> float:
        """Return the current time: the worker was told to end, and may take as long as it needs."""
        return time.monotonic()

    def close(self) -> None:
        """Do nothing: the file it shared with the server was closed by the reload."""


def on_starting(server: Any) -> None:
    """End the start of a production site with unsafe settings, with the list of them.

    After a reload the server starts whatever it finds: the site is up, and stopping it now would
    refuse requests. Code of this release has been checked before; see `_problem_of_new_code`.
    """
    try:
        start_checks.require_safe()
    except start_checks.Unsafe as error:
        server.log.critical("%s", error)
        if PREDECESSORS not in os.environ:
            sys.exit(1)


def pre_fork(server: Any, worker: Any) -> None:
    """Give each worker a slot of its own for what it counts."""
    counters.assign_slot(worker, server.WORKERS.values())


def post_fork(server: Any, worker: Any) -> None:
    """Let the worker count in its slot."""
    counters.use_slot(worker)


def on_exit(server: Any) -> None:
    """Delete what all workers counted."""
    counters.remove_folder()


def on_reload(server: Any) -> None:
    """Restart with new code if it can be loaded; otherwise the server only replaces its workers."""
    if problem := _problem_of_new_code():
        server.log.error("The new code cannot be loaded; the old code keeps running: %s", problem)
        return
    listeners = [os.dup(listener.sock.fileno()) for listener in server.LISTENERS]
    for number, listener in enumerate(listeners, LISTENERS_FROM):
        os.dup2(_copy_above(listener, LISTENERS_FROM + len(listeners)), number, inheritable=True)
    environment = {
        **os.environ,
        "LISTEN_PID": str(os.getpid()),
        "LISTEN_FDS": str(len(listeners)),
        PREDECESSORS: " ".join(map(str, server.WORKERS)),
    }
    server.log.info("Loading new code")
    # Until the new code handles signals, this one would end the process.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.chdir(server.START_CTX["cwd"])
    os.execve(server.START_CTX[0], server.START_CTX["args"], environment)  # noqa: S606 -- ourselves


def post_worker_init(worker: Any) -> None:
    """Let every worker clear the data folder of its machine, which may have no other processes."""
    from config.running import folder_clearing  # which needs the tables

    folder_clearing.clear_repeatedly()


def when_ready(server: Any) -> None:
    """Start workers beside those from before a reload, which the server then ends as surplus."""
    predecessors = os.environ.pop(PREDECESSORS, "").split()
    for number, process in enumerate(predecessors):
        server.WORKERS[int(process)] = Predecessor(age=number - len(predecessors))
    if predecessors:
        for _ in range(server.num_workers):
            server.spawn_worker()
        server.reap_workers()  # one may have ended meanwhile, unnoticed


def _problem_of_new_code() -> str:
    """Return why the code cannot be loaded, on one line; blank if it can."""
    try:
        attempt = subprocess.run(  # noqa: S603 -- our own words
            [sys.executable, "-c", _LOADING],
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return f"it takes longer than {timeout} seconds"
    lines = attempt.stderr.strip().splitlines() or [f"exit status {attempt.returncode}"]
    return lines[-1] if attempt.returncode else ""


def _copy_above(number: int, least: int) -> int:
    """Return a copy of an open file with a number of at least `least`."""
    while number < least:
        number = os.dup(number)
    return number
