"""The web server: what gunicorn reads as its configuration, its log lines, and how it reloads.

A hang-up signal (HUP) loads new code: the server first sees in a process of its own whether the
code can be loaded, then begins anew in the same process, with the same open port. The workers
before go on until the new ones are there, and end when they have answered what they were asked.
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

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

wsgi_app = "config.wsgi:application"
worker_class = "config.web_worker.Worker"
preload_app = True
workers = 2
threads = 8
timeout = 60
graceful_timeout = 10  # of all; a worker that is replaced has the patience of its class
keepalive = 5
control_socket_disable = True
max_requests = settings.WEB_MAX_REQUESTS
max_requests_jitter = max_requests // 5  # so that not all are replaced at once

PREDECESSORS = "WEB_PREDECESSORS"  # the variable with the workers before a reload
LISTENERS_FROM = 3  # the number of the first open port that a process is given (systemd)


class Logger(glogging.Logger):
    """Hands what gunicorn has to say to the service's logging, also before a worker runs."""

    def setup(self, cfg: Any) -> None:
        """Set up logging as the settings say, in place of handlers of gunicorn's own."""
        super().setup(cfg)
        configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
        for log in (self.error_log, self.access_log):
            log.handlers.clear()
            log.propagate = True
        self.error_log.setLevel(settings.LOG_LEVEL)


logger_class = Logger


class Predecessor:
    """A worker from before a reload, as the server keeps book of its workers."""

    aborted = False

    def __init__(self, age: int) -> None:
        self.age, self.tmp = age, self

    def last_update(self) -> float:
        """Return when it was last heard of. It has been told to end, and may take its time."""
        return time.monotonic()

    def close(self) -> None:
        """Do nothing: what it shared with the server ended with the reload."""


def on_reload(server: Any) -> None:
    """Begin anew with new code, if it can be loaded; else the server replaces its workers."""
    if fault := _fault_of_new_code():
        server.log.error("The new code cannot be loaded, the one before goes on: %s", fault)
        return
    listeners = [os.dup(each.sock.fileno()) for each in server.LISTENERS]
    for number, listener in enumerate(listeners, LISTENERS_FROM):
        os.dup2(_above(listener, LISTENERS_FROM + len(listeners)), number, inheritable=True)
    environment = {
        **os.environ,
        "LISTEN_PID": str(os.getpid()),
        "LISTEN_FDS": str(len(listeners)),
        PREDECESSORS: " ".join(map(str, server.WORKERS)),
    }
    server.log.info("Loading new code")
    # Until the new code listens to signals itself, this one would end the process.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.chdir(server.START_CTX["cwd"])
    os.execve(server.START_CTX[0], server.START_CTX["args"], environment)  # noqa: S606 -- ourselves


def when_ready(server: Any) -> None:
    """Start workers beside those from before a reload, which the server then ends as surplus."""
    before = os.environ.pop(PREDECESSORS, "").split()
    for number, process in enumerate(before):
        server.WORKERS[int(process)] = Predecessor(age=number - len(before))
    if before:
        for _ in range(server.num_workers):
            server.spawn_worker()
        server.reap_workers()  # one may have ended meanwhile, when nobody listened


def _fault_of_new_code() -> str:
    """Return why the code cannot be loaded, on one line; a blank if it can."""
    try:
        tried = subprocess.run(
            [sys.executable, "-c", "import config.web_server, config.web_worker, config.wsgi"],
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return f"it takes longer than {timeout} seconds"
    lines = tried.stderr.strip().splitlines() or [f"exit status {tried.returncode}"]
    return lines[-1] if tried.returncode else ""


def _above(number: int, least: int) -> int:
    """Return a copy of an open file under a number that is not to be given away."""
    while number < least:
        number = os.dup(number)
    return number
