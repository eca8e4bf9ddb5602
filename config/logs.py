"""Log lines: JSON for machines or text for people, each with the request or job it belongs to.

Every logger of every library ends in one formatter, so a line looks the same whoever wrote it. What
could open a door is taken out at the end, whoever wrote it: tokens, passwords, cookies.
"""

from __future__ import annotations

import logging.config
import re
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

HIDDEN = "[hidden]"
_SECRET_NAMES = re.compile(r"authorization|cookie|token|password|secret|api.?key", re.IGNORECASE)
_SECRETS = (
    re.compile(r"(?<=Bearer )[\w.~+/=-]{16,}", re.IGNORECASE),
    re.compile(r"\beyJ[\w-]{5,}(?:\.[\w-]*)+"),  # a JSON Web Token
    re.compile(r"\bhmda_pat_[\w-]+"),  # a personal token
    re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"),  # user and password of an address
    re.compile(
        r"(?P<kept>[?&#](?:(?:access_|refresh_|id_)?token|code|state|client_secret|password"
        r"|id_token_hint)=|\b(?:sessionid|csrftoken|signing-in|known-device)=)[^&\s;'\"]+"
    ),
    re.compile(r"(?P<kept>/(?:sign-up|forgotten)/[^/\s]+/)[^/\s]+"),  # the links of mails
)


def configuration(form: str, level: str) -> dict[str, Any]:
    """Return Django's `LOGGING` for lines of this form, `json` or `text`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _first(),
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *_last(form),
                ],
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "celery": {"level": "WARNING"},
            "django": {"handlers": [], "level": "INFO"},
            "django.request": {"level": "ERROR"},
            "httpx": {"level": "WARNING"},
            "kombu.connection": {"level": "ERROR"},  # warns of each folder that it has no host name
        },
    }


def set_up(configured: dict[str, Any]) -> None:
    """Set up logging for this process; Django calls it with its setting `LOGGING`."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_first(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(configured)


def without_secrets(logger: Any, method: str, event: EventDict) -> EventDict:
    """Return the event with everything hidden that could open a door."""
    return _clean(event)


def on_one_line(logger: Any, method: str, event: EventDict) -> EventDict:
    """Return the event without line breaks: nobody can write a line of their own in a value."""
    return {
        name: value.replace("\r", "\\r").replace("\n", "\\n")
        if isinstance(value, str) and name != "exception"
        else value
        for name, value in event.items()
    }


def _first() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _last(form: str) -> list[Processor]:
    if form == "json":
        exceptions = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        return [
            structlog.processors.ExceptionRenderer(exceptions),
            without_secrets,
            structlog.processors.JSONRenderer(),
        ]
    return [
        structlog.processors.format_exc_info,
        without_secrets,
        on_one_line,
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        ),
    ]


def _clean(value: Any) -> Any:
    """Return the value with secrets hidden, however deep they lie."""
    if isinstance(value, str):
        for secret in _SECRETS:
            value = secret.sub(_hidden, value)
        return value
    if isinstance(value, dict):
        return {
            name: HIDDEN if _SECRET_NAMES.search(str(name)) else _clean(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    return value


def _hidden(found: re.Match[str]) -> str:
    return found.groupdict("").get("kept", "") + HIDDEN
