"""Django's setting `LOGGING`. What a line looks like is in `logs`."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Any


class LineFormatter(logging.Formatter):
    """Formats lines with structlog, which is loaded for the first one: a command may write none."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self._form = form

    @cached_property
    def _formatter(self) -> logging.Formatter:
        from config.running import logs

        return logs.line_formatter(self._form)

    def format(self, record: logging.LogRecord) -> str:
        return self._formatter.format(record)


def log_configuration(form: str, level: str) -> dict[str, Any]:
    """Return Django's setting `LOGGING` for lines of the form `json` or `text`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": LineFormatter, "form": form}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "celery": {"level": "WARNING"},
            "django": {"handlers": [], "level": "INFO"},
            "django.request": {"level": "ERROR"},
            "fido2": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
            "kombu.connection": {"level": "ERROR"},  # warns that a folder has no host name
        },
    }
