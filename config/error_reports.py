"""Reports unexpected errors to a Sentry server, without anything that callers sent.

Sending starts in every process of a site that has set an address. A report says where in the code
the error was raised, and how to find its log. It is written from a list of what may be in it, so
that nothing else leaves the service, whatever a library adds: no message, for it may quote a
record, and no variables, headers, addresses, bodies, breadcrumbs, host names or arguments.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, cast

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

LAST_SECONDS = 2  # in which a process that ends sends its last reports

_OF_EVENT = (
    "event_id",
    "timestamp",
    "level",
    "logger",
    "platform",
    "release",
    "environment",
    "sdk",
)
_OF_EXCEPTION = ("type", "module")
_OF_FRAME = ("filename", "function", "module", "lineno", "in_app")


def start_reporting() -> None:
    """Report every exception that is logged as an error, if the site has set `SENTRY_DSN`.

    Requests, jobs and tasks log theirs, so that one place knows all of them. The library's other
    integrations would read requests and statements of the database.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    if not settings.SENTRY_DSN:
        return
    import sentry_sdk  # of some megabytes, which other sites do without
    from sentry_sdk.integrations.atexit import AtexitIntegration
    from sentry_sdk.integrations.logging import LoggingIntegration
    from sentry_sdk.utils import BadDsn

    try:
        sentry_sdk.init(
            dsn=settings.SENTRY_DSN,
            release=settings.VERSION,
            environment=settings.SENTRY_ENVIRONMENT,
            before_send=cast(Any, make_report),  # whose events are typed dictionaries
            default_integrations=False,
            auto_enabling_integrations=False,
            integrations=[
                LoggingIntegration(level=None, event_level=logging.ERROR, sentry_logs_level=None),
                AtexitIntegration(callback=_print_nothing),
            ],
            # Personal data are off by default; the option that says so is deprecated.
            include_local_variables=False,
            include_source_context=False,
            max_request_body_size="never",
            max_breadcrumbs=0,
            auto_session_tracking=False,
            send_client_reports=False,
            enable_metrics=False,
            spotlight=False,
            propagate_traces=False,
            shutdown_timeout=LAST_SECONDS,
        )
    except BadDsn as error:
        raise ImproperlyConfigured(
            f"SENTRY_DSN cannot be read: {error}; enter https://key@host/project."
        ) from error


def _print_nothing(pending: int, timeout: float) -> Any:
    """Print nothing while the last reports are sent."""


def make_report(event: Mapping[str, Any], hint: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the report of an error; None for one without an exception, which is only a text."""
    exceptions = (event.get("exception") or {}).get("values")
    if not exceptions:
        return None
    context = structlog.contextvars.get_contextvars()
    request = getattr(hint.get("log_record"), "request", None)
    tags = {
        "reference": context.get("request_id", ""),
        "method": getattr(request, "method", None) or "",
    }
    return {
        **_pick(event, _OF_EVENT),
        "transaction": _route(request) or _kind_of_job(context),
        "tags": {name: str(value) for name, value in tags.items() if value},
        "exception": {"values": [_exception(exception) for exception in exceptions]},
    }


def _exception(exception: Mapping[str, Any]) -> dict[str, Any]:
    frames = (exception.get("stacktrace") or {}).get("frames") or ()
    return {
        **_pick(exception, _OF_EXCEPTION),
        "stacktrace": {"frames": [_pick(frame, _OF_FRAME) for frame in frames]},
    }


def _pick(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: values[name] for name in names if values.get(name) is not None}


def _route(request: Any) -> str:
    """Return the pattern of a request's address, which has names where the address has values."""
    return getattr(getattr(request, "resolver_match", None), "route", None) or ""


def _kind_of_job(context: Mapping[str, Any]) -> str:
    stage = context.get("stage")
    return f"job {stage}" if stage else ""
