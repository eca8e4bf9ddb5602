"""Starts the sending of reports, in every process of a site that has set an address for them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.error_reports.content import report

if TYPE_CHECKING:
    from sentry_sdk.types import Event, Hint

LAST_SECONDS = 2  # in which a process that ends sends its last reports


def start() -> None:
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
            before_send=_before_send,
            default_integrations=False,
            auto_enabling_integrations=False,
            integrations=[
                LoggingIntegration(level=None, event_level=logging.ERROR, sentry_logs_level=None),
                AtexitIntegration(callback=_say_nothing),
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


def _before_send(event: Event, hint: Hint) -> Event | None:
    return cast("Event | None", report(event, hint))


def _say_nothing(pending: int, timeout: float) -> Any:
    """Print nothing while the last reports are sent."""
