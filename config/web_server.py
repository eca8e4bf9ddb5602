"""The web server's own log lines, in the form of all others."""

from __future__ import annotations

import os
from typing import Any

from gunicorn import glogging


class Logger(glogging.Logger):
    """Hands what gunicorn has to say to the service's logging, also before a worker runs."""

    def setup(self, cfg: Any) -> None:
        """Set up logging as the settings say, in place of handlers of gunicorn's own."""
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        from django.conf import settings
        from django.utils.log import configure_logging

        super().setup(cfg)
        configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
        for log in (self.error_log, self.access_log):
            log.handlers.clear()
            log.propagate = True
        self.error_log.setLevel(settings.LOG_LEVEL)
