"""Log lines as JSON or text, each with its request or job.

All loggers, also those of libraries, end in one formatter, so all lines look the same. Secrets
(tokens, passwords, cookies) are removed from every line at the end.
"""

from __future__ import annotations

import logging
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
        r"(?P<prefix>[?&#](?:(?:access_|refresh_|id_)?token|code|state|client_secret|password"
        r"|id_token_hint)=|\b(?:sessionid|csrftoken|__Host-session|__Host-csrf|signing-in"
        r"|known-device)=)[^&\s;'\"]+"
    ),
    re.compile(r"(?P<prefix>/(?:sign-up|forgotten)/[^/\s]+/)[^/\s]+"),  # links in emails
    re.compile(r"(?P<prefix>/filing/(?:invitation|administrator)/)[^/\s]+"),
)


def line_formatter(form: str) -> logging.Formatter:
    """Return the formatter of lines of the form `json` or `text`."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_first(),
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_last(form)],
    )


def send_structured_lines() -> None:
    """Let the loggers of structlog write to those of the standard library, in this process."""
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


def without_secrets(logger: Any, method: str, event: EventDict) -> EventDict:
    """Return the event with all secrets hidden."""
    return hide_secrets(event)


def on_one_line(logger: Any, method: str, event: EventDict) -> EventDict:
    """Return the event without line breaks: no value can forge a line of the log."""
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


def hide_secrets(value: Any) -> Any:
    """Return the value with the secrets hidden at every level."""
    if isinstance(value, str):
        for secret in _SECRETS:
            value = secret.sub(_hidden, value)
        return value
    if isinstance(value, dict):
        return {
            name: HIDDEN if _SECRET_NAMES.search(str(name)) else hide_secrets(item)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [hide_secrets(item) for item in value]
    return value


def _hidden(match: re.Match[str]) -> str:
    return match.groupdict("").get("prefix", "") + HIDDEN
