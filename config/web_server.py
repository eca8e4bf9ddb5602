"""The configuration of gunicorn: threads, with a proxy in front that holds slow callers."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings
from django.utils.log import configure_logging
from gunicorn import glogging

from config.metrics import counters
from config.web_worker import LINE_BYTES

wsgi_app = "config.wsgi:application"
worker_class = "config.web_worker.Worker"  # threads
preload_app = True  # processes share the memory of the code
workers = 2
threads = settings.WEB_THREADS
timeout = 20  # seconds without a heartbeat; on SQLite a stopped process may hold the lock for all
graceful_timeout = 10
keepalive = 20  # longer than the proxy keeps a connection, and than programs pause between reads
max_requests = settings.WEB_MAX_REQUESTS
max_requests_jitter = max_requests // 5  # not all are replaced at once
control_socket_disable = True
limit_request_field_size = LINE_BYTES  # the worker itself limits the first line
http_parser = "python"  # which the worker extends
forwarder_headers = ""  # no caller takes off the beginning of a path: SCRIPT_NAME, PATH_INFO

REPLACED_SECONDS = 15 * 60  # that a replaced process has to finish its downloads
SWITCH_SECONDS = 0.0005  # of 5 ms a short request would wait a dozen times beside an upload


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


def on_starting(server: Any) -> None:
    """End the start of a production site with unsafe settings, with the list of them."""
    from config.running import start_checks

    try:
        start_checks.require_safe()
    except start_checks.UnsafeSettings as error:
        server.log.critical("%s", error)
        sys.exit(1)


def when_ready(server: Any) -> None:
    """Leave what is loaded out of garbage collection, which would copy the pages it looks at."""
    gc.collect()
    gc.freeze()


def pre_fork(server: Any, worker: Any) -> None:
    """Give each worker a slot of its own for what it counts."""
    counters.assign_slot(worker, server.WORKERS.values())


def post_fork(server: Any, worker: Any) -> None:
    """Set what a process has for itself, and let it count in its slot."""
    worker.cfg.set("graceful_timeout", REPLACED_SECONDS)  # when all end, the server has its own
    sys.setswitchinterval(SWITCH_SECONDS)
    counters.use_slot(worker)


def on_exit(server: Any) -> None:
    """Delete what all workers counted."""
    counters.remove_folder()


def post_worker_init(worker: Any) -> None:
    """Read ahead, and clear the data folder of this machine, which may have no other processes."""
    from config.running import retention  # which needs the tables
    from filing.reference_data import registry

    registry.read_censuses_ahead()
    retention.clear_folder_repeatedly()
